//! The live feed.

use http::StatusCode;

use serde_json::json;

use crate::cancel::WAIT;
use crate::support::{Browser, Event, serve};

/// Runs a scenario to its end while a reader listens.
async fn run_scenario(browser: &Browser) -> Vec<Event> {
    let mut events = browser.listen().await;
    let id = browser.run_scenario("flaky").await;
    events.until(|event| event.ends(&id)).await
}

#[tokio::test]
async fn a_run_is_published_from_its_start_to_its_end() {
    let (_dashboard, browser) = serve().await;

    let events = run_scenario(&browser).await;

    let (first, later) = events.split_first().expect("events");
    assert_eq!(
        (&*first.kind, &first.data["state"]),
        ("run", &json!("running"))
    );
    let (end, changes) = later.split_last().expect("events");
    assert_eq!(
        (&*end.kind, &end.data["state"]),
        ("run", &json!("finished"))
    );
    assert_eq!(end.data["id"], first.data["id"]);
    for change in changes {
        assert_eq!(change.kind, "change");
        assert_eq!(change.data, json!({ "id": first.data["id"] }));
    }
}

/// While a run goes on, its story has what has happened so far.
#[tokio::test]
async fn the_story_of_a_running_run_has_its_rows_and_no_lesson() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let id = browser.begin_waiting("reliable").await;

    let html = browser.story(&mut events, &id, WAIT).await;

    assert!(html.contains("running · "), "{html}");
    assert!(html.contains("503 Service Unavailable"), "{html}");
    assert!(!html.contains("Why it matters"), "{html}");
}

#[tokio::test]
async fn a_reconnecting_reader_resumes_after_its_last_event() {
    let (_dashboard, browser) = serve().await;
    let whole = run_scenario(&browser).await;

    let path = format!("/api/events?last={}", whole[0].id);
    let mut by_query = browser.listen_at(&path, &[]).await;
    // The header goes before the query.
    let header = [("last-event-id", &*whole[1].id)];
    let mut by_both = browser.listen_at(&path, &header).await;

    let is_last = |event: &Event| event.id == whole[whole.len() - 1].id;
    assert_eq!(by_query.until(is_last).await, whole[1..]);
    assert_eq!(by_both.until(is_last).await, whole[2..]);
}

/// The page may have 128 connections.
#[tokio::test]
async fn any_number_of_event_streams_leaves_room_for_requests() {
    let (_dashboard, browser) = serve().await;
    let mut streams = Vec::new();

    for _ in 0..140 {
        streams.push(browser.listen().await);
    }

    assert_eq!(browser.get("/").await.status, StatusCode::OK);
    let id = browser.run_scenario("flaky").await;
    let (mut oldest, newest) = (streams.remove(0), streams.pop());
    let mut newest = newest.expect("a stream");
    newest.until(|event| event.ends(&id)).await;
    while let Some(event) = oldest.next().await {
        assert!(!event.ends(&id), "it has made way before");
    }
}
