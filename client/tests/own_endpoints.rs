//! Endpoints of a caller's own: path parameters, queries, and POSTs with permission.

use client::{ApiClient, Endpoint, IdempotencyKey, JsonObject};

use crate::bench::{Bench, Script, cursor, http_error, json, page, read, status};

const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

#[tokio::test]
async fn path_parameters_and_a_query_go_into_the_url_or_nothing_is_sent() {
    let order = json(200, &serde_json::json!({"id": 4711}));
    let bench = Bench::new(Script::always(order)).await;

    let target = ORDER.path("id", "47/11").query("expand", "a b");
    let order = bench.client.get(target).await;

    assert_eq!(order.expect("an object").text(), r#"{"id":4711}"#);
    for target in [ORDER.into(), ORDER.path("id", ".."), ORDER.path("no", 1)] {
        let refused = bench.client.get(target).await.expect_err("refused");
        assert_eq!(refused.error_type(), "config", "{refused}");
    }
    let sent = bench.lines().await;
    assert_eq!(sent, ["GET /orders/47%2F11?expand=a%20b"]);
}

#[tokio::test]
async fn a_listing_keeps_its_query_on_every_page() {
    let script = Script::by(|request| match cursor(&request.url) {
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

/// A POST without permission is one of the tests of the specification.
#[tokio::test]
async fn a_post_with_permission_is_repeated_with_one_key() {
    let bench = Bench::new(Script::always(status(503))).await;
    let client = &bench.client;
    let (key, body) = (
        IdempotencyKey::new("k-1").expect("a key"),
        JsonObject::new(),
    );

    let error = http_error(client.post_repeatable(ORDERS, &key, &body).await);

    assert_eq!(error.attempts, 3);
    let sent = bench.sent().await;
    let keys = sent
        .iter()
        .map(|sent| &sent.headers[IdempotencyKey::HEADER]);
    assert_eq!(keys.collect::<Vec<_>>(), ["k-1"; 3]);
}

#[test]
fn the_base_url_can_be_read() {
    let client = ApiClient::builder("http://api.example.test/v1/").build();

    let url = client.expect("a client").base_url().to_string();

    assert_eq!(url, "http://api.example.test/v1/");
}
