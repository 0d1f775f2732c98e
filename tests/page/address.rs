//! The address of the page: of a run, of a scenario, and of nothing.

use serde_json::json;

use crate::stage::{Browser, lab_showing};

/// How the server answers for a run that it does not have.
const UNKNOWN: &str = "no such run; only the newest are kept";

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_reload_and_an_address_lead_back_to_a_run() {
    let (lab, browser) = lab_showing("flaky").await;
    let id = browser.run().await;
    let shown = "[text('h1'), text('#story')]";
    let before = browser.read(shown).await;

    browser.show_scenario(&lab, "retry-later").await;
    browser.go(&format!("http://{}/runs/{id}", lab.page)).await;
    browser.ended().await;
    browser.shows(shown, before).await;

    // A reload in the middle of a run loses nothing.
    browser.show_scenario(&lab, "retry-later").await;
    browser.wait_for_long().await;
    let address = browser.address().await;
    browser.reload().await;
    browser
        .until("text('details.wait > summary .how')?.endsWith(' s left · Retry-After')")
        .await;
    assert_eq!(browser.address().await, address);
    browser
        .shows_all(&[
            (
                "text('details:is(.good, .failed):not(.call) > summary .how')",
                json!("503 Service Unavailable"),
            ),
            ("text('.result').includes('running')", json!(true)),
        ])
        .await;

    // A crawl of many pages is cut in the middle and says so. Each page but the last, which is
    // refused, is a call folded over an attempt and the service's side: of three rows one is on
    // the screen.
    browser.show_scenario(&lab, "endless-items").await;
    browser.click("#settings-summary").await;
    browser.click("[name=max_pages]").await;
    browser.press("150\u{e007}").await;
    browser.until("location.pathname !== '/'").await;
    browser.ended().await;
    let rows = "each('.rows > li').filter((row) => row.checkVisibility())";
    browser
        .shows_all(&[
            (&format!("{rows}.length"), json!(67 + 1 + 67)),
            (
                &format!("{rows}.every((row) => !row.firstElementChild?.open)"),
                json!(true),
            ),
            (
                &format!("{rows}.findIndex((row) => row.matches('.gap'))"),
                json!(67),
            ),
            (
                "each('[aria-labelledby^=wire] tbody tr').length",
                json!(100),
            ),
            ("text('.rows > .gap')", json!("52 rows not shown")),
        ])
        .await;

    assert_works_for_any_address(&lab.page, &browser).await;
}

/// For any address, the page shows a scenario, follows the feed, and reports what it could not
/// find.
async fn assert_works_for_any_address(page: &str, browser: &Browser) {
    // What came before may have asked for a run that is gone.
    browser.complaints().await;
    for (address, problem) in [
        ("/", ""),
        ("/#", ""),
        ("/#flaky", ""),
        ("/#%66laky", ""),
        ("/#%", "No scenario is called '%'."),
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
        ("/runs/abcdefgh", UNKNOWN),
        ("/runs/%", UNKNOWN),
        ("/runs/%ff", UNKNOWN),
        ("/runs/%2e%2e%2fapi", UNKNOWN),
        ("/runs/__proto__", UNKNOWN),
        ("/runs/<img src=x>", UNKNOWN),
        ("/runs/abcdefgh#flaky", UNKNOWN),
        ("/nowhere", "There is no page /nowhere."),
        ("/%3Cb%3E", "There is no page /<b>."),
    ] {
        // A change of the fragment alone would not load the page.
        browser.go("about:blank").await;
        browser.go(&format!("http://{page}{address}")).await;

        browser
            .until("text('#link') === 'live' && text('.choose[aria-current] .name') && text('#question')")
            .await;
        let shown = "one('#problem').textContent";
        browser.becomes(shown, problem).await;
    }

    let mut complaints = browser.complaints().await;
    complaints.retain(|complaint| complaint.contains("Uncaught"));
    assert_eq!(complaints, [""; 0]);
}
