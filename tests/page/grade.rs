//! Grade: the user's own client, judged while its requests arrive.

use testkit::http::raw;
use thirtyfour::Key;

use crate::stage::{Browser, Lab, lab_showing};

/// The text of a task, by its name.
const TASK: &str = "((name) => each('#tasks > li')
    .find((one) => one.querySelector('h2').textContent === name))";

impl Browser {
    /// Loads Grade.
    pub(crate) async fn show_grade(&self, lab: &Lab) {
        self.show(lab, "grade", "one('#tasks > li')").await;
    }

    /// Presses the button that opens the cases, and waits for new ones.
    pub(crate) async fn open_cases(&self) {
        let url = "(one('.call b')?.textContent ?? '')";
        let before = self.read(url).await;
        let asks = self.read("!one('#stop-cases').hidden").await;
        self.click("#open-cases").await;
        if asks == true {
            self.answer(true).await;
        }
        self.until(&format!("!['', {before}].includes({url})"))
            .await;
    }

    /// Calls the first case of a task from outside the page.
    pub(crate) async fn call(&self, task: &str) {
        let url = format!("{TASK}('{task}').querySelector('.call b').textContent");
        let url = self.read(&url).await;
        let url = url.as_str().expect("a URL");
        let (host, path) = url["http://".len()..].split_once('/').expect("a path");
        raw(host, format!("GET /{path} HTTP/1.0\r\n\r\n"));
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_client_is_graded_by_keyboard_while_its_requests_arrive() {
    let (lab, browser) = lab_showing("flaky").await;
    let retry_after = format!("{TASK}('retry-after')");
    let is_open = format!("{retry_after}.querySelector('details').open");
    let announced = "text('#announce')";

    browser.press("g").await;
    browser
        .until("document.activeElement.id === 'grade' && document.title === 'Grade · lab'")
        .await;
    browser.until("one('#tasks > li')").await;
    assert_eq!(browser.address().await, "/grade");
    browser.press_key(Key::Tab).await;
    browser.press_key(Key::Enter).await;
    browser.becomes(announced, "The cases are open").await;
    browser.shows("all('#tasks [open]').length", 0).await;

    browser.call("retry-after").await;
    browser.call("retry-after").await;
    browser.until(&is_open).await;
    let broken = "retry-after: retry-after-seconds is broken";
    browser.becomes(announced, broken).await;
    let early = format!("{retry_after}.querySelectorAll('.requests li .how')[1].textContent");
    browser.says(&early, &["200", "too early"]).await;
    let broken = format!("{retry_after}.querySelector('.rules .no').innerText");
    let parts = [
        "retry-after-seconds",
        "broken",
        "standard · RFC 9110",
        "asked for 2 s",
    ];
    browser.says(&broken, &parts).await;

    // On to the button, which begins the case again; the task stays open.
    let button = "document.activeElement.textContent === 'Begin again' && \
                  document.activeElement.ariaLabel.includes('retry-after')";
    for _ in 0..40 {
        browser.press_key(Key::Tab).await;
        if browser.read(button).await == true {
            break;
        }
    }
    browser.press_key(Key::Enter).await;
    let counts = format!("{retry_after}.querySelector('.counts').innerText");
    browser.becomes(&counts, "no request yet").await;
    browser.shows(&is_open, true).await;
    browser.shows(button, true).await;

    // Back, and the scenario is there again.
    browser.read("history.back()").await;
    browser
        .until(
            "text('.choose[aria-current] .name') === 'flaky' && document.title === 'flaky · lab'",
        )
        .await;
    browser.shows("one('#grade').hidden", true).await;
    assert_eq!(browser.complaints().await, [""; 0]);

    // The URL and the command of a case can be copied.
    browser.show_grade(&lab).await;
    browser.catch_copies().await;
    browser.click("#tasks summary").await;
    browser.click("#tasks .call button").await;
    browser.until("copied === one('.call b').textContent").await;
    browser.click("#tasks .call button + button").await;
    browser
        .until("copied === one('.call code').textContent")
        .await;

    assert_a_request_is_listed(&lab, &browser).await;
}

/// A request to the service, from any client and of any trace, is listed below a picture of all of them.
async fn assert_a_request_is_listed(lab: &Lab, browser: &Browser) {
    raw(
        &lab.service,
        "GET /retry-later HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n",
    );

    browser.until("all('#wire tbody tr').length === 1").await;
    let cells = ["GET /retry-later", "503", "retry_later", "120 s"];
    browser.says("text('#wire tbody tr')", &cells).await;
    // A failed request is broken in two.
    let failed = "each('.mini .failed').length";
    browser.shows(failed, 2).await;
    browser.shows("all('#runs li').length", 0).await;
}
