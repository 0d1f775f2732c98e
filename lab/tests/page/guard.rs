//! The page works for any address, and shows text from outside as text.

use super::stage::{Browser, Lab, PROJECTOR};

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

    let mut complaints = browser.complaints().await;
    complaints.retain(|complaint| complaint.contains("Uncaught"));
    assert_eq!(complaints, [""; 0]);
}
