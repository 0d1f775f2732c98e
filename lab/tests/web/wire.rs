//! Requests that reach the service from other clients.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Browser, Event, Events, serve};

/// The next request in the feed that has its response.
async fn responded(events: &mut Events) -> Value {
    let has_response = |event: &Event| event.kind == "wire" && !event.data["status"].is_null();
    events.until(has_response).await.pop().expect("it").data
}

#[tokio::test]
async fn the_feed_has_each_request_from_other_clients_with_its_response() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let elsewhere = Browser::of(&dashboard.service_url());

    for (seq, status) in [(1, 503), (2, 503), (3, 200)] {
        // All requests have the same id, because it does not identify a request.
        let same = [("x-request-id", "mine")];
        elsewhere.send(Method::GET, "/flaky", &same, "").await;

        let request = responded(&mut events).await;

        assert_eq!(
            (&request["seq"], &request["status"]),
            (&json!(seq), &json!(status))
        );
    }
}

#[tokio::test]
async fn the_feed_and_the_list_agree_on_a_request() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let elsewhere = Browser::of(&dashboard.service_url());
    let traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01";

    let headers = [("traceparent", traceparent)];
    elsewhere.send(Method::GET, "/items", &headers, "").await;

    let request = responded(&mut events).await;
    let cells = request["row"]["cells"].as_array().expect("cells");
    assert!(cells.contains(&json!("GET /items")), "{cells:?}");
    assert!(cells.contains(&json!("01234567")), "{cells:?}");
    let wire = browser.get("/api/wire").await.json();
    assert_eq!(wire["requests"], json!([request]));
    assert_eq!(wire["columns"].as_array().map(Vec::len), Some(cells.len()));
}

#[tokio::test]
async fn the_newest_two_hundred_requests_are_kept() {
    let (dashboard, browser) = serve().await;
    let elsewhere = Browser::of(&dashboard.service_url());

    for _ in 0..203 {
        elsewhere.get("/no-content").await;
    }

    let wire = browser.get("/api/wire").await.json();
    assert_eq!(wire["requests"].as_array().map(Vec::len), Some(200));
    assert_eq!(wire["requests"][0]["seq"], 4);
}
