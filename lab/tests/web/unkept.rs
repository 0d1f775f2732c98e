//! Runs that are not kept, as `lab load` asks for them.

use std::time::Duration;

use futures_util::future::join_all;
use http::StatusCode;
use serde_json::{Value, json};
use testkit::PATIENCE;
use tokio::time::{sleep, timeout};

use crate::web::support::{Browser, serve};

/// A run that waits for two minutes.
pub(crate) fn waiting() -> Value {
    json!({ "scenario": "retry-later", "settings": { "max_retry_after_seconds": 600 }, "kept": false })
}

fn unkept(scenario: &str) -> Value {
    json!({ "scenario": scenario, "pace": "virtual", "seed": 7, "kept": false })
}

#[tokio::test]
async fn an_unkept_run_responds_with_its_end_and_changes_the_counters() {
    let (dashboard, browser) = serve().await;

    let response = browser.start(&unkept("flaky-gives-up")).await;

    assert_eq!(response.status, StatusCode::OK);
    assert_eq!(response.json(), json!({ "missed": [] }));
    let service = Browser::of(&dashboard.service_url());
    for (series, expected) in [
        ("client_calls_total{", 1),
        ("client_attempts_total{", 2),
        ("service_faults_total{", 2),
        ("client_retries_total{", 1),
        ("client_give_ups_total{", 1),
        ("http_server_active_requests{", 0),
    ] {
        assert_eq!(service.total(series).await, expected, "{series}");
    }
}

#[tokio::test]
async fn an_unkept_run_is_not_listed() {
    let (_dashboard, browser) = serve().await;
    let first = browser.run_scenario("flaky").await;

    let unkept = unkept("items");
    join_all((0..20).map(|_| browser.start(&unkept))).await;

    let last = browser.run_scenario("flaky").await;
    let runs = browser.get("/api/runs").await.json();
    let ids = [0, 1, 2].map(|number| &runs[number]["id"]);
    assert_eq!(ids, [&json!(last), &json!(first), &Value::Null]);
}

#[tokio::test]
async fn too_many_unkept_runs_are_refused_until_their_callers_hang_up() {
    let (dashboard, browser) = serve().await;
    let service = Browser::of(&dashboard.service_url());
    let (waiting, short) = (waiting(), unkept("items"));
    let once_all_wait = async {
        while service.total("client_attempts_total{").await < 32 {
            sleep(Duration::from_millis(20)).await;
        }
        browser.start(&short).await
    };

    let refused = tokio::select! {
        ended = join_all((0..32).map(|_| browser.start(&waiting))) => panic!("{}", ended.len()),
        refused = timeout(PATIENCE, once_all_wait) => refused.expect("32 runs that wait"),
    };
    // The callers have hung up.
    let admitted = timeout(PATIENCE, async {
        while browser.start(&short).await.status != StatusCode::OK {
            sleep(Duration::from_millis(20)).await;
        }
    });

    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.code(), "too_many_runs");
    assert!(admitted.await.is_ok(), "the slots are not given back");
}
