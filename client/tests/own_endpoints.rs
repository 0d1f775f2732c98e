//! Endpoints of a caller's own: path parameters, queries, and POSTs with permission.

use client::{ApiClient, Endpoint, IdempotencyKey, JsonObject, StopReason};

use crate::bench::{Bench, Script, cursor, http_error, json, page, read, status};

const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

/// A service whose every response is the same order.
async fn one_order() -> Bench {
    let order = json(200, &serde_json::json!({"id": 4711}));
    Bench::new(Script::always(order)).await
}

#[tokio::test]
async fn path_parameters_and_a_query_go_into_the_url() {
    let bench = one_order().await;

    let target = ORDER.path("id", "47/11").query("expand", "a b");
    let order = bench.client.get(target).await;

    assert_eq!(order.expect("an object").text(), r#"{"id":4711}"#);
    let sent = bench.lines().await;
    assert_eq!(sent, ["GET /orders/47%2F11?expand=a%20b"]);
}

#[tokio::test]
async fn a_target_that_does_not_fit_its_template_is_never_sent() {
    let bench = one_order().await;

    for target in [ORDER.into(), ORDER.path("id", ".."), ORDER.path("no", 1)] {
        let refused = bench.client.get(target).await.expect_err("refused");
        assert_eq!(refused.error_type(), "config", "{refused}");
    }
    assert_eq!(bench.lines().await, [""; 0]);
}

#[tokio::test]
async fn a_listing_keeps_its_query_on_every_page() {
    let script = Script::by(|request| match cursor(request) {
        None => page([1], Some("c&d")),
        Some(_) => page([2], None),
    });
    let bench = Bench::new(script).await;
    let open = bench.client.listing(ORDERS.query("state", "open"));
    let all = bench.client.listing(ORDERS);
    assert_ne!(open.id(), all.id(), "a filter makes another listing");

    read(open).await.expect("two pages");

    let expected = [
        "GET /orders?state=open&limit=50",
        "GET /orders?state=open&limit=50&cursor=c%26d",
    ];
    assert_eq!(bench.lines().await, expected);
}

#[tokio::test]
async fn a_post_is_repeated_only_with_permission_and_with_one_key() {
    let bench = Bench::new(Script::always(status(503))).await;
    let client = &bench.client;
    let (key, body) = (
        IdempotencyKey::new("k-1").expect("a key"),
        JsonObject::new(),
    );

    let once = http_error(client.post(ORDERS, Some(&key), &body).await);
    let repeated = http_error(client.post_repeatable(ORDERS, &key, &body).await);

    assert_eq!((once.attempts, repeated.attempts), (1, 3));
    assert_eq!(once.stopped, Some(StopReason::NotEligible));
    let sent = bench.sent().await;
    assert_eq!(sent.len(), 4);
    for sent in sent {
        assert_eq!(sent.headers[IdempotencyKey::HEADER], "k-1");
    }
}

#[test]
fn the_base_url_can_be_read() {
    let client = ApiClient::builder("http://api.example.test/v1/").build();

    let url = client.expect("a client").base_url().to_string();

    assert_eq!(url, "http://api.example.test/v1/");
}
