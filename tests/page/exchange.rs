//! The exchange of a request, in the details of its row.

use serde_json::json;

use crate::stage::{Browser, lab_showing};

/// Chooses the row that says this, and waits for its exchange.
async fn choose(browser: &Browser, text: &str) {
    let row = format!(
        "each('summary.row').find((row) => \
         row.textContent.includes('{text}')).click()"
    );
    browser.read(&row).await;
    browser
        .until("each('[open] > .facts pre').length === 2")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_row_shows_its_exchange_and_a_command_if_there_is_one() {
    let (lab, browser) = lab_showing("conflict").await;
    browser.click("label:has([value=virtual])").await;
    browser.run().await;

    choose(&browser, "409").await;

    let lines = "all('[open] > .facts pre').map((text) => text.split('\\n')[0])";
    let expected = ["POST /jobs HTTP/1.1", "HTTP/1.1 409 Conflict"];
    browser.shows(lines, json!(expected)).await;
    // The service of this lab is not where the usual one is.
    let command = "text('[open] > .facts .command code:last-of-type').split('/jobs ')[0]";
    let url = format!("curl -i http://{}", lab.service);
    browser.shows(command, url).await;

    // The routes of this scenario are not those of the service.
    browser
        .go(&format!("http://{}/#retry-after-unusable", lab.page))
        .await;
    browser
        .until("text('h1').startsWith('retry-after-unusable ')")
        .await;
    browser.run().await;
    choose(&browser, "attempt 1").await;

    browser.shows("each('.command').length", 0).await;
    let facts = "text('.said').includes('request 2: Retry-After: 1.5')";
    browser.shows(facts, true).await;
}
