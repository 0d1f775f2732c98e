//! The live feed.

use http::StatusCode;

use serde_json::json;

use crate::web::cancel::WAIT;
use crate::web::support::{Browser, Event, serve};

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

/// The page may have 128 connections.
#[tokio::test]
async fn any_number_of_event_streams_leaves_room_for_requests() {
    let (_dashboard, browser) = serve().await;
    let mut streams = Vec::new();

    for path in ["/api/events", "/api/metrics-view"] {
        for _ in 0..70 {
            streams.push(browser.try_listen_to(path).await);
        }
    }

    let admitted = streams.iter().filter(|stream| stream.is_ok()).count();
    assert_eq!(admitted, 64);
    assert_eq!(browser.get("/").await.status, StatusCode::OK);
    let refused = streams.pop().expect("a stream").err();
    assert_eq!(refused, Some(StatusCode::SERVICE_UNAVAILABLE));
    let id = browser.run_scenario("flaky").await;
    let mut first = streams
        .remove(0)
        .unwrap_or_else(|status| panic!("{status}"));
    first.until(|event| event.ends(&id)).await;
}
