//! A running run is cancelled: it ends, says so, and frees its slot.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::web::support::{Browser, TestResponse, serve};

/// A wait that goes on.
pub(crate) const WAIT: &str = " s left · Retry-After";

async fn cancel(browser: &Browser, id: &str) -> TestResponse {
    browser
        .change(Method::DELETE, &format!("/api/runs/{id}"))
        .await
}

/// Starts a run that waits for two minutes, and returns once all its clients do.
async fn waiting(browser: &Browser, client: &str) -> String {
    let id = browser.begin_waiting(client).await;
    browser.shown(&id, WAIT).await;
    id
}

#[tokio::test]
async fn a_cancelled_run_ends_at_once_and_says_so() {
    let (_dashboard, browser) = serve().await;
    let id = waiting(&browser, "reliable").await;

    let response = cancel(&browser, &id).await;
    browser.ended(&id).await;

    assert_eq!(response.status, StatusCode::ACCEPTED);
    assert!(response.body.is_empty());
    let run = browser.run(&id).await;
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
async fn cancelling_a_finished_run_changes_nothing() {
    let (_dashboard, browser) = serve().await;
    let id = browser.run_scenario("flaky").await;
    browser.ended(&id).await;
    let before = browser.run(&id).await;

    let response = cancel(&browser, &id).await;

    assert_eq!(response.status, StatusCode::NO_CONTENT);
    assert_eq!(browser.run(&id).await, before);
    for nothing in ["abcdefgh", "%ff"] {
        let response = cancel(&browser, nothing).await;
        assert_eq!(response.status, StatusCode::NOT_FOUND, "{nothing}");
        assert_eq!(response.code(), "run_not_found");
    }
}

#[tokio::test]
async fn cancelled_runs_free_their_slots() {
    let (_dashboard, browser) = serve().await;
    let patient =
        json!({ "scenario": "retry-later", "settings": { "max_retry_after_seconds": 600 } });
    let mut ids = Vec::new();
    let refused = loop {
        let response = browser.start(&patient).await;
        if response.status != StatusCode::ACCEPTED {
            break response;
        }
        ids.push(response.json()["id"].as_str().expect("an id").to_owned());
    };

    cancel(&browser, &ids[0]).await;
    browser.ended(&ids[0]).await;
    let admitted = browser.start(&patient).await;

    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.code(), "too_many_runs");
    assert_eq!(admitted.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn the_button_of_the_page_cancels_and_leads_back_to_the_run() {
    let (_dashboard, browser) = serve().await;
    let id = waiting(&browser, "compare").await;

    let response = browser
        .submit(&format!("/runs/{id}/cancel"), "predict=&guess=a")
        .await;

    assert_eq!(response.status, StatusCode::SEE_OTHER);
    let there = response.headers["location"].to_str().expect("text");
    assert_eq!(there, format!("/runs/{id}?guess=a&predict"));
    let page = browser.page(there).await.text();
    assert!(page.contains("⊘ cancelled after 1 request"), "{page}");
    assert!(!page.contains("data-changes"), "{page}");
}
