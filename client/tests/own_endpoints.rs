//! Endpoints of a caller's own: path parameters, queries, and POSTs with permission.

use std::sync::{Arc, Mutex};

use client::{ApiClient, ApiError, Endpoint, FailureKind, IdempotencyKey, JsonObject, StopReason};
use reqwest::Response;

use crate::support::{
    http_error, offline,
    scripted::{cursor, json, page, scripted, status},
    virtual_clock,
};

const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

/// What was sent: the path with its query, and the key.
type Sent = Arc<Mutex<Vec<(String, Option<String>)>>>;

/// A client whose transport notes what is sent, and responds with `respond`.
fn client(respond: fn(&reqwest::Request) -> Response) -> (ApiClient, Sent) {
    let sent = Sent::default();
    let notes = Arc::clone(&sent);
    let transport = scripted(move |request| {
        let url = request.url();
        let target = [url.path(), url.query().unwrap_or_default()].join("?");
        let key = request.headers().get(IdempotencyKey::HEADER);
        let key = key.map(|key| key.to_str().expect("text").to_owned());
        notes.lock().expect("no panic").push((target, key));
        std::future::ready(Ok(respond(&request)))
    });
    let client = offline(&virtual_clock()).transport(transport).build();
    (ApiClient::clone(&client.expect("a client")), sent)
}

fn object(_: &reqwest::Request) -> Response {
    json(200, &serde_json::json!({"id": 4711}))
}

#[tokio::test]
async fn path_parameters_and_a_query_go_into_the_url() {
    let (client, sent) = client(object);

    let order = client
        .get(ORDER.path("id", "47/11").query("expand", "a b"))
        .await;

    assert_eq!(order.expect("an object").text(), r#"{"id":4711}"#);
    let sent = sent.lock().expect("no panic");
    assert_eq!(sent[0].0, "/orders/47%2F11?expand=a%20b");
}

#[tokio::test]
async fn a_target_that_does_not_fit_its_template_is_never_sent() {
    let (client, sent) = client(object);

    for target in [ORDER.into(), ORDER.path("id", ".."), ORDER.path("no", 1)] {
        let ApiError::Transport(error) = client.get(target).await.expect_err("refused") else {
            panic!("another class")
        };
        assert_eq!((error.kind, error.attempts), (FailureKind::Request, 0));
    }
    assert!(sent.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn a_listing_keeps_its_query_on_every_page() {
    let (client, sent) = client(|request| match cursor(request) {
        None => page(&[1], Some("c&d")),
        Some(_) => page(&[2], None),
    });
    let open = client.listing(ORDERS.query("state", "open"));
    let all = client.listing(ORDERS);
    assert_ne!(open.id(), all.id(), "a filter makes another listing");

    let mut items = open.items();
    while let Some(item) = items.next_item().await {
        item.expect("an item");
    }

    let sent = sent.lock().expect("no panic");
    let sent: Vec<_> = sent.iter().map(|(target, _)| target.as_str()).collect();
    let expected = [
        "/orders?state=open&limit=50",
        "/orders?state=open&limit=50&cursor=c%26d",
    ];
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_post_is_repeated_only_with_permission_and_with_one_key() {
    let (client, sent) = client(|_| status(503));
    let (key, body) = (
        IdempotencyKey::new("k-1").expect("a key"),
        JsonObject::new(),
    );

    let once = http_error(client.post(ORDERS, Some(&key), &body).await);
    let repeated = http_error(client.post_repeatable(ORDERS, &key, &body).await);

    assert_eq!((once.attempts, repeated.attempts), (1, 3));
    assert_eq!(once.stopped, Some(StopReason::NotEligible));
    let sent = sent.lock().expect("no panic");
    assert!(sent.iter().all(|(_, key)| key.as_deref() == Some("k-1")));
}

#[test]
fn the_base_url_can_be_read() {
    let client = ApiClient::builder("http://api.example.test/v1/").build();

    let url = client.expect("a client").base_url().to_string();

    assert_eq!(url, "http://api.example.test/v1/");
}
