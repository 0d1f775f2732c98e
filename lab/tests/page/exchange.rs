//! The exchange of a request, in the details of its row.

use serde_json::json;

use super::stage::lab_showing;

/// Chooses the row that says this.
fn choose(text: &str) -> String {
    format!(
        "[...document.querySelectorAll('.row')].find((row) => \
         row.textContent.includes('{text}')).click()"
    )
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_row_shows_its_exchange_and_a_command_that_can_be_copied() {
    let (_lab, browser) = lab_showing("conflict").await;
    browser.click("label:has([value=virtual])").await;
    browser.run().await;

    browser.read(&choose("409")).await;
    browser.until("all('.exchange pre').length === 2").await;

    let lines = browser
        .read("all('.exchange pre').map((text) => text.split('\\n')[0])")
        .await;
    assert_eq!(
        lines,
        json!(["POST /jobs HTTP/1.1", "HTTP/1.1 409 Conflict"])
    );
    let shape = browser.read("all('.exchange pre')[0]").await;
    let shape = shape.as_str().expect("a text");
    for line in ["idempotency-key: key 1", "body 2"] {
        assert!(
            shape.lines().any(|it| it == line),
            "{line} is not in\n{shape}"
        );
    }
    // The service of this lab is not where the usual one is.
    let command = "document.querySelector('.exchange button').title";
    let command = browser.read(command).await;
    let command = command.as_str().expect("a text");
    let (url, _) = command.split_once("/jobs ").expect(command);
    assert_eq!(
        browser
            .ask("fetch('/api/vocabulary').then((it) => it.json()).then((it) => done(it.service))")
            .await,
        json!(url.trim_start_matches("curl -i "))
    );
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn an_exchange_without_a_route_has_no_command() {
    let (_lab, browser) = lab_showing("retry-after-unusable").await;
    browser.click("label:has([value=virtual])").await;
    browser.run().await;

    browser.read(&choose("attempt 1")).await;
    browser.until("all('.exchange pre').length === 2").await;

    assert_eq!(browser.read("all('.exchange button').length").await, 0);
    let sent = browser.read("all('.exchange pre')[1]").await;
    let sent = sent.as_str().expect("a text");
    assert!(sent.contains("\nretry-after: -1\n"), "{sent}");
    let facts = browser.read("text('#ledgers')").await;
    let facts = facts.as_str().expect("a text");
    assert!(facts.contains("request 2: Retry-After: 1.5"), "{facts}");
}
