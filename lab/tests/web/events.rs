//! The live feed.

use http::StatusCode;

use serde_json::Value;

use crate::support::{Browser, Event, serve};

/// Runs a scenario to its end while a reader listens.
async fn run_scenario(browser: &Browser) -> Vec<Event> {
    let mut events = browser.listen().await;
    let id = browser.run_scenario("flaky").await;
    events.until(|event| event.ends(&id)).await
}

/// The content of rows: a name and a result each. In virtual time they contain no port.
fn texts(rows: &[Value]) -> Vec<[&Value; 3]> {
    let texts = rows.iter();
    texts
        .map(|row| ["what", "how", "lasted"].map(|text| &row[text]))
        .collect()
}

#[tokio::test]
async fn a_run_is_published_from_its_start_to_its_end() {
    let (_dashboard, browser) = serve().await;

    let events = run_scenario(&browser).await;

    let own: Vec<_> = events
        .iter()
        .filter(|event| event.kind != "metrics")
        .collect();
    let kinds: Vec<_> = own.iter().map(|event| &*event.kind).collect();
    assert_eq!(
        (kinds[0], own[0].data["state"].as_str()),
        ("run", Some("running"))
    );
    let (end, changes) = own.split_last().expect("events");
    assert_eq!(end.kind, "run");
    // Each change follows the previous one, and together they result in the final state
    // of the run.
    let mut rows: Vec<Value> = Vec::new();
    for (revision, event) in (1..).zip(&changes[1..]) {
        let change = &event.data;
        assert_eq!(
            (&*event.kind, change["revision"].as_u64()),
            ("change", Some(revision))
        );
        rows.truncate(change["keep"].as_u64().expect("a number") as usize);
        rows.extend_from_slice(change["waterfall"]["rows"].as_array().expect("rows"));
    }
    let id = end.data["id"].as_str().expect("an id");
    let run = browser.run(id).await;
    let rows_of_run = run["sides"][0]["view"]["waterfall"]["rows"].as_array();
    assert_eq!(texts(&rows), texts(rows_of_run.expect("rows")));
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
