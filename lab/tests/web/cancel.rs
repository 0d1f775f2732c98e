//! A running run is cancelled: it ends, says so, and frees its slot.

use std::net::TcpListener;

use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{Browser, Events, PATIENCE, TestResponse, serve};

const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");

async fn cancel(browser: &Browser, id: &str) -> TestResponse {
    let path = format!("/api/runs/{id}");
    browser.send(Method::DELETE, &path, &[OWN], "").await
}

/// Starts a run that waits for two minutes, and returns once all its clients do.
async fn waiting(browser: &Browser, events: &mut Events, client: &str) -> String {
    let run = json!({
        "scenario": "retry-later", "client": client, "max_retry_after_seconds": 600, "seed": 7,
    });
    let started = browser.start(&run).await.json();
    let waits = |event: &crate::support::Event| {
        let rows = event.data["waterfall"]["rows"]
            .as_array()
            .into_iter()
            .flatten();
        rows.into_iter().any(|row| row["kind"] == "wait")
    };
    timeout(PATIENCE, events.until(waits))
        .await
        .expect("a wait");
    started["id"].as_str().expect("an id").to_owned()
}

async fn ended(events: &mut Events, id: &str) {
    let ends = timeout(PATIENCE, events.until(|event| event.ends(id)));
    ends.await.expect("an end");
}

#[tokio::test]
async fn a_cancelled_run_ends_at_once_and_says_so() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let id = waiting(&browser, &mut events, "reliable").await;

    let response = cancel(&browser, &id).await;
    ended(&mut events, &id).await;

    assert_eq!(response.status, StatusCode::ACCEPTED);
    assert!(response.body.is_empty());
    let run = browser.get(&format!("/api/runs/{id}")).await.json();
    for (place, value) in [
        ("/state", json!("cancelled")),
        ("/passed", Value::Null),
        ("/error", Value::Null),
        ("/sides/0/outcome/ending", json!("cancelled")),
        ("/sides/0/outcome/text", json!("cancelled after 1 request")),
        ("/sides/0/wire/total", json!(1)),
        ("/sides/0/verdict", json!([])),
    ] {
        assert_eq!(run.pointer(place), Some(&value), "{place}");
    }
    let listed = browser.get("/api/runs").await.json();
    assert_eq!(listed[0]["state"], "cancelled");
    let report = browser.get(&format!("/api/runs/{id}/report")).await.text();
    assert!(report.contains("cancelled after 1 request"), "{report}");
}

#[tokio::test]
async fn a_cancelled_run_sends_no_more_requests() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let id = waiting(&browser, &mut events, "reliable").await;

    cancel(&browser, &id).await;
    ended(&mut events, &id).await;

    let run = browser.get(&format!("/api/runs/{id}")).await.json();
    let spans = run["sides"][0]["traces"][0]["spans"].as_array();
    let spans = spans.expect("spans");
    assert!(spans.iter().all(|span| span["end_ns"].is_u64()), "{run}");
    let port = spans
        .iter()
        .find_map(|span| span["fields"]["server.port"].as_u64());
    let port = u16::try_from(port.expect("a port")).expect("a port");
    TcpListener::bind(("127.0.0.1", port)).expect("a port that is free again");
}

#[tokio::test]
async fn a_cancelled_comparison_compares_no_effects() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let id = waiting(&browser, &mut events, "compare").await;

    cancel(&browser, &id).await;
    ended(&mut events, &id).await;

    let run = browser.get(&format!("/api/runs/{id}")).await.json();
    assert_eq!(run["state"], "cancelled");
    assert_eq!(run["sides"][0]["outcome"]["ending"], "cancelled");
    assert_eq!(run["compared"], json!(null));
}

#[tokio::test]
async fn cancelling_a_finished_run_changes_nothing() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let id = browser.run_scenario("flaky").await;
    ended(&mut events, &id).await;
    let before = browser.get(&format!("/api/runs/{id}")).await.json();

    let response = cancel(&browser, &id).await;

    assert_eq!(response.status, StatusCode::NO_CONTENT);
    assert_eq!(browser.get(&format!("/api/runs/{id}")).await.json(), before);
    for nothing in ["abcdefgh", "%ff"] {
        let response = cancel(&browser, nothing).await;
        assert_eq!(response.status, StatusCode::NOT_FOUND, "{nothing}");
        assert_eq!(response.code(), "run_not_found");
    }
}

#[tokio::test]
async fn cancelled_runs_free_their_slots() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let patient = json!({ "scenario": "retry-later", "max_retry_after_seconds": 600 });
    let mut ids = Vec::new();
    let refused = loop {
        let response = browser.start(&patient).await;
        if response.status != StatusCode::ACCEPTED {
            break response;
        }
        ids.push(response.json()["id"].as_str().expect("an id").to_owned());
    };

    cancel(&browser, &ids[0]).await;
    ended(&mut events, &ids[0]).await;
    let admitted = browser.start(&patient).await;

    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.code(), "too_many_runs");
    assert_eq!(admitted.status, StatusCode::ACCEPTED);
}
