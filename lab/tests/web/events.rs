//! The event streams.

use http::StatusCode;

use crate::web::{cancel::WAIT, support::serve};

#[tokio::test]
async fn a_page_that_listens_is_told_of_a_run_without_a_word_about_it() {
    let (_dashboard, browser) = serve().await;
    let mut changes = browser.listen().await;

    let id = browser.run_scenario("flaky").await;

    changes.changed().await;
    let run = browser.ended(&id).await;
    assert_eq!(run["state"], "finished");
}

/// While a run goes on, its page has what has happened so far.
#[tokio::test]
async fn the_page_of_a_running_run_has_its_rows_and_no_lesson() {
    let (_dashboard, browser) = serve().await;
    let id = browser.begin_waiting("reliable").await;

    let page = browser.shown(&id, WAIT).await;

    for part in [
        "running · ",
        "503 Service Unavailable",
        "data-changes=\"in-progress\"",
        "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>",
        "action=\"/runs/",
    ] {
        assert!(page.contains(part), "{part:?} is missing in {page}");
    }
    assert!(!page.contains("Why it matters"), "{page}");
}

/// The page may have 128 connections.
#[tokio::test]
async fn any_number_of_event_streams_leaves_room_for_requests() {
    let (_dashboard, browser) = serve().await;
    let mut streams = Vec::new();

    for _ in 0..70 {
        streams.push(browser.try_listen_to("/live").await);
    }

    let admitted = streams.iter().filter(|stream| stream.is_ok()).count();
    assert_eq!(admitted, 32);
    assert_eq!(browser.get("/").await.status, StatusCode::OK);
    let refused = streams.pop().expect("a stream").err();
    assert_eq!(refused, Some(StatusCode::SERVICE_UNAVAILABLE));
    browser.run_scenario("flaky").await;
    let mut first = streams
        .remove(0)
        .unwrap_or_else(|status| panic!("{status}"));
    first.changed().await;
}
