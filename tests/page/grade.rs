//! Grade: the user's own client, judged while its requests arrive.

use testkit::http::raw;
use thirtyfour::Key;

use crate::stage::{Browser, Lab, PROJECTOR, lab_showing};

/// The text of a task, by its name.
const TASK: &str = "((name) => each('#tasks > li')
    .find((one) => one.querySelector('h2').textContent === name))";

impl Browser {
    /// A browser that shows Grade.
    pub(crate) async fn at_grade(lab: &Lab, size: (u32, u32)) -> Self {
        Self::showing(lab, size, "grade", "one('#tasks > li')").await
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
async fn a_broken_rule_is_reachable_by_keyboard() {
    let (_lab, browser) = lab_showing("flaky").await;
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
    let early = format!("{retry_after}.querySelectorAll('.arrivals .how')[1].textContent");
    browser.says(&early, &["GET  200", "too early"]).await;
    let broken = format!("{retry_after}.querySelector('.rules .failed').innerText");
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
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_command_of_a_case_can_be_copied() {
    let lab = Lab::start();
    let browser = Browser::at_grade(&lab, PROJECTOR).await;
    browser.open_cases().await;
    browser.catch_copies().await;
    browser.click("#tasks summary").await;

    browser.click("#tasks .call button").await;
    browser.until("copied === one('.call b').textContent").await;
    browser.click("#tasks .call button + button").await;
    browser
        .until("copied === one('.call code').textContent")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn two_pages_show_the_same_card_and_both_see_its_end() {
    let lab = Lab::start();
    let instructor = Browser::at_grade(&lab, PROJECTOR).await;
    let learner = Browser::at_grade(&lab, PROJECTOR).await;
    let terms = "text('#grade-terms')";

    instructor.open_cases().await;
    let opened = instructor.read(terms).await;
    learner.becomes(terms, opened).await;
    learner.call("flaky").await;
    for browser in [&instructor, &learner] {
        browser.until("all('.arrivals .row').length === 1").await;
    }
    instructor.click("#stop-cases").await;

    for browser in [&instructor, &learner] {
        let is_over = format!("{terms}.startsWith('The cases were stopped')");
        browser.until(&is_over).await;
        browser.shows("all('.arrivals .row').length", 1).await;
    }
}

/// The cases belong to every window.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn new_cases_are_opened_after_a_question_and_other_windows_say_so() {
    let lab = Lab::start();
    let one = Browser::at_grade(&lab, PROJECTOR).await;
    let other = Browser::at_grade(&lab, PROJECTOR).await;
    let url = "one('.call b')?.textContent";
    one.open_cases().await;
    let first = one.read(url).await;
    other.becomes(url, first.clone()).await;

    other.click("#open-cases").await;
    other.answer(false).await;
    other.call("flaky").await;
    one.until("all('.arrivals .row').length === 1").await;
    one.shows(url, first.clone()).await;
    other.click("#open-cases").await;
    other.answer(true).await;

    one.until(&format!("![undefined, {first}].includes({url})"))
        .await;
    let says = "text('#grade-terms').startsWith('Another window opened new cases')";
    one.until(says).await;
    other.shows(says, false).await;
}

/// Stopping the lab closes its cases. Their results stay on the page.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn cases_lost_in_a_restart_say_so_and_can_be_reopened() {
    let mut lab = Lab::start();
    let browser = Browser::at_grade(&lab, PROJECTOR).await;
    browser.open_cases().await;
    browser.call("flaky").await;
    browser.until("all('.arrivals .row').length === 1").await;

    lab.restart();

    browser
        .until(
            "text('#link') === 'live' && text('#grade-terms').startsWith('The cases were stopped')",
        )
        .await;
    browser.shows("all('.arrivals .row').length", 1).await;
    browser.open_cases().await;
    browser.until("all('.arrivals .row').length === 0").await;
}
