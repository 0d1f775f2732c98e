//! The page is protected against other sites, and against text from the wire.

use super::stage::{Browser, Lab, PROJECTOR, lab_showing};

const MARKUP: &str = "<img src=x onerror=document.title='owned'>";

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn another_origin_cannot_start_a_run() {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    // The service is a separate origin: the same host, another port.
    browser.go(&format!("http://{}/items", lab.service)).await;

    let sent = browser
        .ask(&format!(
            "fetch('http://{}/api/runs', {{ method: 'POST', mode: 'no-cors', body: '{{\"scenario\":\"flaky\"}}' }})
               .then((response) => done(response.type), (error) => done(String(error)))",
            lab.page
        ))
        .await;

    // The browser hides the response from the caller; it was a refusal.
    assert_eq!(sent, "TypeError: Failed to fetch");
    let runs = format!(
        "GET /api/runs HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        lab.page
    );
    let response = Lab::raw(&lab.page, &runs);
    assert!(response.ends_with("[]"), "{response}");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn markup_from_the_wire_stays_text() {
    let (lab, browser) = lab_showing("flaky").await;
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    let request = format!(
        "GET /%3Cimg%20src=x%3E HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         traceparent: {trace}\r\nX-Request-Id: {MARKUP}\r\n\r\n"
    );
    Lab::raw(&lab.service, &request);
    browser.until("all('#wire tbody tr').length === 1").await;
    browser.click("#settings-summary").await;
    browser.click("[name=seed]").await;
    browser.press(format!("{MARKUP}\u{e007}")).await;
    browser.until("text('#problem')").await;

    assert!(
        browser
            .read("text('#wire tbody tr')")
            .await
            .to_string()
            .contains("4bf92f35")
    );
    assert_eq!(
        browser
            .read("document.querySelectorAll('img').length")
            .await,
        0
    );
    assert_ne!(browser.read("document.title").await, "owned");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_browser_reports_no_errors() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.press("3").await;
    browser.run().await;
    browser.press("w?").await;
    browser.until("document.querySelector('dialog').open").await;

    let complaints = browser.complaints().await;
    assert!(complaints.is_empty(), "{complaints:#?}");
}

/// For any address, the page shows a scenario, follows the feed, and reports what it
/// could not find.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_page_works_for_any_address() {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    let unknown = "no such run; only the newest are kept";

    for (address, problem) in [
        ("/", ""),
        ("/#", ""),
        ("/#flaky", ""),
        ("/#%66laky", ""),
        ("/#%", "No scenario is called '%'."),
        ("/#%%%", "No scenario is called '%%%'."),
        ("/#100%25", "No scenario is called '100%'."),
        ("/#%E0%A4%A", "No scenario is called '%E0%A4%A'."),
        ("/#%ff%fe", "No scenario is called '%ff%fe'."),
        ("/#%C3%A9", "No scenario is called 'é'."),
        ("/#flaky%00", "No scenario is called 'flaky\u{0}'."),
        ("/#__proto__", "No scenario is called '__proto__'."),
        ("/#constructor", "No scenario is called 'constructor'."),
        ("/#flaky#items", "No scenario is called 'flaky#items'."),
        (
            "/#<img src=x onerror=document.title='owned'>",
            "No scenario is called '<img src=x onerror=document.title='owned'>'.",
        ),
        ("/?%=%#flaky", ""),
        ("/runs/abcdefgh", unknown),
        ("/runs/ABC", unknown),
        ("/runs/%", unknown),
        ("/runs/%ff", unknown),
        ("/runs/%2e%2e%2fapi", unknown),
        ("/runs/__proto__", unknown),
        ("/runs/<img src=x>", unknown),
        ("/runs/abcdefgh#flaky", unknown),
    ] {
        // A change of the fragment alone would not reload the page.
        browser.go("about:blank").await;
        browser.go(&format!("http://{}{address}", lab.page)).await;

        browser
            .until("text('#link') === 'live' && text('.choose[aria-current] .name') && text('#question')")
            .await;
        browser
            .until(&format!(
                "document.querySelector('#problem').textContent === {}",
                serde_json::json!(problem)
            ))
            .await;
    }

    let complaints = browser.complaints().await;
    let uncaught: Vec<_> = complaints
        .iter()
        .filter(|complaint| complaint.contains("Uncaught"))
        .collect();
    assert!(uncaught.is_empty(), "{uncaught:#?}");
}
