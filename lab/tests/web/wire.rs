//! What reaches the service from anywhere else.

use http::Method;
use tokio::time::timeout;

use crate::support::{Browser, PATIENCE, serve};

const TRACE: &str = "0123456789abcdef0123456789abcdef";
const PARENT: &str = "0123456789abcdef";

#[tokio::test]
async fn a_request_from_elsewhere_is_told_once_with_how_it_was_answered() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let elsewhere = Browser::of(&dashboard.service_url());

    for _ in 0..3 {
        // One request id for all: it does not name a request.
        let same = [("x-request-id", "mine")];
        elsewhere.send(Method::GET, "/flaky", &same, "").await;
    }

    let mut told = Vec::new();
    while told.len() < 3 {
        let event = events.next().await.expect("an event");
        if event.kind == "wire" {
            told.push(event.data);
        }
    }
    let seqs: Vec<_> = told
        .iter()
        .map(|wire| wire["entry"]["seq"].as_u64())
        .collect();
    assert_eq!(seqs, [Some(1), Some(2), Some(3)]);
    for (wire, status) in told.iter().zip([503, 503, 200]) {
        assert_eq!(wire["entry"]["status"], status);
        assert_eq!(
            wire["spans"][0]["fields"]["http.response.status_code"],
            status
        );
        assert!(wire["spans"][0]["end_ns"].is_u64());
    }
}

#[tokio::test]
async fn a_caller_that_says_its_trace_finds_the_service_in_it() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let elsewhere = Browser::of(&dashboard.service_url());

    let traceparent = format!("00-{TRACE}-{PARENT}-01");
    let headers = [("traceparent", &*traceparent)];
    elsewhere.send(Method::GET, "/items", &headers, "").await;

    let told = events
        .until(|event| event.kind == "wire")
        .await
        .pop()
        .expect("the last");
    assert_eq!(told.data["entry"]["trace_id"], TRACE);
    assert_eq!(told.data["spans"][0]["trace_id"], TRACE);
    assert_eq!(told.data["spans"][0]["parent"], PARENT);
    let lane = browser.get("/api/wire").await.json();
    // Whether its last byte was handed over may be known a moment later.
    let [kept, relayed] = [&lane["entries"][0], &told.data["entry"]].map(|entry| {
        let mut entry = entry.as_object().expect("an entry").clone();
        entry.remove("ended_ns");
        entry
    });
    assert_eq!(kept, relayed);
    assert_eq!(lane["traces"][0]["id"], TRACE);
    assert_eq!(lane["dropped"], 0);
}

#[tokio::test]
async fn the_newest_two_hundred_requests_are_kept() {
    let (dashboard, browser) = serve().await;
    let elsewhere = Browser::of(&dashboard.service_url());

    for _ in 0..203 {
        elsewhere.get("/no-content").await;
    }

    let lane = browser.get("/api/wire").await.json();
    assert_eq!(lane["entries"].as_array().map(Vec::len), Some(200));
    assert_eq!(lane["traces"].as_array().map(Vec::len), Some(200));
    assert_eq!(lane["dropped"], 3);
}

/// A load generator, or a test suite, may put all its requests into one trace.
#[tokio::test]
async fn any_number_of_requests_of_one_trace_is_told() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let elsewhere = Browser::of(&dashboard.service_url());
    let traceparent = format!("00-{TRACE}-{PARENT}-01");
    let headers = [("traceparent", &*traceparent)];

    for seq in 1..=203 {
        elsewhere.send(Method::GET, "/flaky", &headers, "").await;
        let told = timeout(PATIENCE, events.until(|event| event.kind == "wire")).await;

        let told = told.unwrap_or_else(|_| panic!("request {seq} is not told"));
        let told = told.last().expect("the last");
        assert_eq!(told.data["entry"]["seq"], seq);
    }

    let lane = browser.get("/api/wire").await.json();
    let spans = lane["traces"].as_array().expect("traces").iter();
    let spans = spans.flat_map(|trace| trace["spans"].as_array().expect("spans"));
    assert_eq!(spans.count(), 200);
    assert_eq!(lane["entries"].as_array().map(Vec::len), Some(200));
    assert_eq!(lane["dropped"], 3);
}

#[tokio::test]
async fn runs_are_not_in_the_lane() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen(None).await;
    let id = browser.play("flaky").await;

    let told = events.until(|event| event.ends(&id)).await;

    assert!(told.iter().all(|event| event.kind != "wire"));
    assert_eq!(
        browser.get("/api/wire").await.json()["entries"],
        serde_json::json!([])
    );
}
