//! Pages that follow the live feed.

use super::stage::{Browser, Lab, PROJECTOR, lab_showing};

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
async fn a_hidden_page_resumes_where_it_stopped() {
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
async fn requests_from_other_clients_have_their_own_lane() {
    let (lab, browser) = lab_showing("flaky").await;

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

/// Stopping the lab loses its runs. The page says only as much as it knows: first that
/// the state is unknown, then that the run is lost.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_that_was_lost_with_its_lab_says_so() {
    let (mut lab, browser) = lab_showing("retry-later").await;
    let finished = browser.run().await;
    browser.wait_for_long().await;

    lab.kill();

    browser.until("text('#link') === 'connection lost'").await;
    let unknown = "text('#result')";
    browser
        .until(&format!(
            "/^✗ connection lost at .* m?s, state unknown$/.test({unknown})"
        ))
        .await;
    let stands = browser.read(unknown).await;
    assert_eq!(
        browser.read("all('#runs .mark')").await,
        serde_json::json!(["?", "✓"])
    );
    assert_eq!(
        browser
            .read("document.querySelector('#cancel').hidden")
            .await,
        true
    );
    // A run in an unknown state is not animated.
    browser
        .ask("requestAnimationFrame(() => requestAnimationFrame(() => done()))")
        .await;
    assert_eq!(browser.read(unknown).await, stands);

    lab.restart();

    browser
        .until("text('#link') === 'live' && text('#result') === '✗ lost: the lab was stopped while it ran'")
        .await;
    assert_eq!(
        browser.read("text('.row.attempt .how')").await,
        "503 Service Unavailable"
    );
    assert_eq!(browser.read("document.title").await, "retry-later · lab");
    assert_eq!(
        browser
            .read("document.querySelector('#learned').hidden")
            .await,
        true
    );
    assert_eq!(browser.read("all('#runs li').length").await, 0);
    assert_eq!(browser.read("text('#problem')").await, "");
    // Another run starts from there, and one that is gone has no address.
    browser
        .read("document.querySelector('[name=max_retry_after_seconds]').value = ''")
        .await;
    browser.run().await;
    browser
        .go(&format!("http://{}/runs/{finished}", lab.page))
        .await;
    browser
        .until("text('#problem') === 'no such run; only the newest are kept'")
        .await;
}

/// A run that ended before the stop stays on the page, but cannot be fetched again.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_that_had_ended_stays_as_it_was_when_the_lab_stops() {
    let (mut lab, browser) = lab_showing("flaky").await;
    browser.run().await;
    let shown = "[text('#result'), text('#checks'), text('#ledgers')]";
    let before = browser.read(shown).await;

    lab.restart();

    browser
        .until("document.querySelector('#actions').hidden && text('#link') === 'live'")
        .await;
    assert_eq!(browser.read(shown).await, before);
}

/// Any number of requests, from any trace: those that are not listed are counted.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn requests_that_are_no_longer_listed_are_counted() {
    let (lab, browser) = lab_showing("flaky").await;
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
    let (_lab, browser) = lab_showing("flaky").await;
    let label = "document.querySelector('.plot:not(.empty)')?.getAttribute('aria-label')";

    // Two samples make a line, and there is at most one in a second.
    let mut found = browser.read(label).await;
    while found.is_null() {
        browser.run().await;
        found = browser.read(label).await;
    }

    let found = found.as_str().expect("text");
    assert!(
        found.starts_with("Of all runs client_attempts_total rose from "),
        "{found}"
    );
}
