//! What a request carries, and what it must never carry.

use std::time::Duration;

use client::{
    IdempotencyKey, JsonObject, Timeouts,
    teaching::{ReliableApiClient, endpoint},
};
use http::{HeaderName, Method};
use tests::{Bench, Sent, Session, status};

/// Calls every method of the client once. What comes of it does not matter.
async fn call_everything(client: &ReliableApiClient) {
    for listing in [
        client.items(),
        client.looping_items(),
        client.endless_items(),
        client.bad_items(),
        client.bad_cursor(),
    ] {
        drop(listing.pages().next_page().await);
    }
    drop(client.flaky().await);
    drop(client.retry_later().await);
    drop(client.bad_json().await);
    drop(client.text_json().await);
    drop(client.no_content().await);
    drop(client.redirect().await);
    let key = IdempotencyKey::new("order-4711").expect("a key");
    drop(client.create_job(&key, &JsonObject::new()).await);
}

/// What no method covers.
async fn call_something_else(client: &ReliableApiClient) {
    let url = "http://127.0.0.1:8765/elsewhere";
    drop(client.http().get(url).send().await);
}

#[tokio::test]
async fn every_request_says_that_it_accepts_json_and_carries_no_credential() {
    let bench = Bench::new(Session::always(status(404)));

    call_everything(&bench.client).await;

    let sent = bench.session.sent();
    let lines: Vec<_> = sent.iter().map(Sent::line).collect();
    assert_eq!(
        lines,
        [
            "GET /items?limit=50",
            "GET /looping-items?limit=50",
            "GET /endless-items?limit=50",
            "GET /bad-items?limit=50",
            "GET /bad-cursor?limit=50",
            "GET /flaky",
            "GET /retry-later",
            "GET /bad-json",
            "GET /text-json",
            "GET /no-content",
            "GET /redirect",
            "POST /jobs",
        ]
    );
    for sent in &sent {
        let mut names: Vec<_> = sent.headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(sent.header("accept"), Some("application/json"), "{sent:?}");
        if sent.method == Method::POST {
            assert_eq!(names, ["accept", "content-type", "idempotency-key"]);
            assert_eq!(sent.header("content-type"), Some("application/json"));
            assert_eq!(sent.body, b"{}");
        } else {
            assert_eq!(names, ["accept"], "{sent:?}");
            assert!(sent.body.is_empty(), "{sent:?}");
        }
        assert_eq!(sent.url.username(), "", "{sent:?}");
        assert_eq!(sent.url.password(), None, "{sent:?}");
    }
}

#[tokio::test]
async fn every_attempt_hands_the_timeout_pair_to_the_transport() {
    let configured = Timeouts {
        connect: Duration::from_millis(7),
        read: Duration::from_millis(11),
    };
    let plain = Bench::new(Session::always(status(503)));
    let told = Bench::with(Session::always(status(503)), |builder| {
        builder.timeouts(configured.connect, configured.read)
    });

    for bench in [&plain, &told] {
        call_everything(&bench.client).await;
        call_something_else(&bench.client).await;
    }

    assert_eq!(Timeouts::DEFAULT.connect, Duration::from_millis(3050));
    assert_eq!(Timeouts::DEFAULT.read, Duration::from_secs(15));
    for (bench, pair) in [(plain, Timeouts::DEFAULT), (told, configured)] {
        let sent = bench.session.sent();
        assert!(sent.len() > endpoint::ALL.len(), "no retry: {bench:?}");
        for sent in sent {
            assert_eq!(sent.timeouts, Some(pair), "{sent:?}");
        }
    }
}
