//! Loads in the web UI's server.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::{Browser, PATIENCE, serve};

/// A load that runs longer than any test.
pub(crate) fn endless() -> Value {
    json!({ "seconds": 7200, "rate": 20, "filter": "items" })
}

#[tokio::test]
async fn a_load_reports_progress_and_changes_the_counters_of_both_sides() {
    let (dashboard, browser) = serve().await;
    let load = json!({ "seconds": 1, "rate": 10, "seed": 7, "filter": "flaky-gives-up" });

    let mut progress = browser.load(&load).await;
    let first = progress.next().await.expect("a first line");
    let last = progress.last().await;

    assert_eq!(
        (&first["length"], &first["finished"]),
        (&json!(10), &json!(false))
    );
    assert_eq!(last["finished"], true, "{last}");
    let service = Browser::of(&dashboard.service_url());
    for (counted, series, expected) in [
        ("completed", "client_calls_total{", 10),
        ("calls", "client_calls_total{", 10),
        ("attempts", "client_attempts_total{", 20),
        ("attempts", "service_faults_total{", 20),
        ("retries", "client_retries_total{", 10),
        ("give_ups", "client_give_ups_total{", 10),
    ] {
        assert_eq!(last["tally"][counted], expected, "{last}");
        assert_eq!(service.total(series).await, expected, "{series}");
    }
}

#[tokio::test]
async fn a_load_does_not_affect_pages_and_their_runs() {
    let (_dashboard, browser) = serve().await;
    let mut pages = join_all((0..20).map(|_| browser.listen())).await;
    let own = browser.run_scenario("flaky").await;
    let load = json!({ "seconds": 1, "rate": 20, "filter": "items" });

    let last = browser.load(&load).await.last().await;

    let after = browser.run_scenario("flaky").await;
    assert_eq!(last["tally"]["completed"], 20, "{last}");
    for page in &mut pages {
        let events = page.until(|event| event.ends(&after)).await;
        for event in events.iter().filter(|event| event.kind != "metrics") {
            let id = event.data["id"].as_str().expect("an id");
            assert!([&own, &after].contains(&&id.to_owned()), "{event:?}");
        }
    }
    let runs = browser.get("/api/runs").await.json();
    let ids = [0, 1, 2].map(|number| &runs[number]["id"]);
    assert_eq!(ids, [&json!(after), &json!(own), &Value::Null]);
    assert_eq!(browser.get("/api/wire").await.json()["requests"], json!([]));
}

#[tokio::test]
async fn one_load_goes_on_at_a_time_and_runs_beside_it() {
    let (_dashboard, browser) = serve().await;
    let mut progress = browser.load(&endless()).await;
    progress.next().await;

    let second = browser.post("/api/loads", &json!({})).await;
    let mut events = browser.listen().await;
    let run = browser.run_scenario("flaky").await;

    assert_eq!(second.status, StatusCode::CONFLICT);
    assert_eq!(second.code(), "load_goes_on");
    events.until(|event| event.ends(&run)).await;
    assert!(progress.next().await.is_some());
}

#[tokio::test]
async fn closing_the_connection_stops_the_load_completely() {
    let (dashboard, browser) = serve().await;
    let mut progress = browser.load(&endless()).await;
    while progress.next().await.expect("a line")["tally"]["completed"] == 0 {}

    drop(progress);

    let began = Instant::now();
    let next = json!({ "seconds": 1, "rate": 1, "filter": "flaky-gives-up" });
    while browser.post("/api/loads", &next).await.status == StatusCode::CONFLICT {
        assert!(began.elapsed() < PATIENCE, "the load goes on");
        sleep(Duration::from_millis(20)).await;
    }
    let service = Browser::of(&dashboard.service_url());
    assert_eq!(service.total("http_server_active_requests{").await, 0);
}
