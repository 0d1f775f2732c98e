//! Pages that follow the lab as it goes on.

use super::stage::{Browser, Lab, PROJECTOR};

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn two_pages_follow_the_same_runs() {
    let lab = Lab::start();
    let instructor = Browser::at(&lab, PROJECTOR, "retry-later").await;
    let learner = Browser::at(&lab, PROJECTOR, "items").await;
    let left = "text('.row.wait .how')?.endsWith(' s left · Retry-After')";

    instructor.wait_for_long().await;
    learner.until("text('#runs .name') === 'retry-later'").await;
    learner.click("#runs a").await;
    learner.until(left).await;

    assert_eq!(learner.address().await, instructor.address().await);
    let id = learner.run().await;
    instructor
        .until(&format!(
            "document.querySelector('#runs a.passed[data-run=\"{id}\"]')"
        ))
        .await;
    instructor.until(left).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_page_out_of_sight_goes_on_where_it_was() {
    let lab = Lab::start();
    let hidden = Browser::at(&lab, PROJECTOR, "flaky").await;
    hidden.hide(true).await;
    let other = Browser::at(&lab, PROJECTOR, "items").await;
    let id = other.run().await;

    hidden.hide(false).await;

    hidden
        .until(&format!(
            "document.querySelector('#runs a.passed')?.dataset.run === '{id}'"
        ))
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn requests_from_elsewhere_have_a_lane_of_their_own() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "flaky").await;

    Lab::raw(
        &lab.service,
        "GET /retry-later HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );

    browser.until("all('#wire tbody tr').length === 1").await;
    let row = browser.read("text('#wire tbody tr')").await.to_string();
    for part in ["GET /retry-later", "503", "retry_later", "120 s"] {
        assert!(row.contains(part), "{part} is missing in {row}");
    }
    assert_eq!(
        browser
            .read("document.querySelectorAll('.lane .failed').length")
            .await,
        1
    );
    assert_eq!(browser.read("all('#runs li').length").await, 0);
}

/// However many come, of whatever trace: what is not listed is counted.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn requests_that_are_no_longer_listed_are_counted() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "flaky").await;
    let send = |times| {
        for _ in 0..times {
            Lab::raw(
                &lab.service,
                "GET /items HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                 traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n",
            );
        }
    };

    send(50);
    browser
        .until("text('#wire-note') === '50 requests so far, the newest first'")
        .await;
    send(154);
    browser
        .until("text('#wire-note') === '204 requests so far, the newest 50 are listed'")
        .await;

    let listed = "all('#wire tbody tr td:first-child').map(Number)";
    assert_eq!(
        browser.read(listed).await,
        serde_json::json!((155..=204).rev().collect::<Vec<_>>())
    );
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_counters_are_plotted_over_time() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "flaky").await;
    let label = "document.querySelector('.plot:not(.empty)')?.getAttribute('aria-label')";

    // Two samples make a line, and there is at most one in a second.
    let mut found = browser.read(label).await;
    while found.is_null() {
        browser.run().await;
        found = browser.read(label).await;
    }

    let found = found.as_str().expect("text");
    assert!(
        found.starts_with("client_attempts_total rose from "),
        "{found}"
    );
}
