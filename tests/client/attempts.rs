//! How often a request is sent, and which may be sent again at all.

use std::{fmt::Debug, time::Duration};

use client::{ApiError, Endpoint, IdempotencyKey, JsonObject, StopReason};
use http::Method;
use tests::{Bench, Loopback, Script, http_error, retry_after, status};

#[tokio::test]
async fn two_attempts_at_flaky_end_in_a_503_and_three_succeed() {
    for (max_attempts, requests) in [(1, 1), (2, 2), (3, 3), (9, 3)] {
        let loopback = Loopback::start_with(|builder| builder.max_attempts(max_attempts));

        let flaky = loopback.client.flaky().await;

        let waits = loopback.clock.sleeps().len() as u64;
        let ledger = loopback.stop().await;
        assert_eq!([ledger.total, waits + 1], [requests; 2], "{ledger:#?}");
        if max_attempts < 3 {
            let error = http_error(flaky);
            assert_eq!(error.status, 503, "{ledger:#?}");
            assert_eq!(u64::from(error.attempts), requests, "{ledger:#?}");
        } else {
            assert_eq!(flaky.expect("a success").attempt, 3, "{ledger:#?}");
        }
    }
}

const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

#[tokio::test]
async fn a_post_is_repeated_only_by_the_method_that_is_authorized() {
    let key = IdempotencyKey::new("order-4711").expect("a key");
    let body = JsonObject::new();
    let scripts = [
        || Script::always(status(503)),
        || Script::always(status(429)),
        Script::lost,
    ];
    for script in scripts {
        let (any, jobs) = (Bench::new(script()).await, Bench::new(script()).await);

        let to_any = any.client.post(ORDERS).idempotency_key(&key).json(&body);
        let to_any = to_any.send().await;
        let to_jobs = jobs.client.create_job(&key, &body).await;

        let once = (1, Some(StopReason::NotEligible));
        let thrice = (3, Some(StopReason::AttemptsExhausted));
        assert_eq!(stopped(to_any), once, "{:?}", any.lines().await);
        assert_eq!(stopped(to_jobs), thrice, "{:?}", jobs.lines().await);
        for (bench, requests) in [(any, 1), (jobs, 3)] {
            let sent = bench.sent().await;
            assert_eq!(sent.len(), requests, "{sent:?}");
            for sent in sent {
                assert_eq!(sent.headers[IdempotencyKey::HEADER], "order-4711");
                assert_eq!(sent.body, b"{}");
            }
        }
    }

    // Requests of the caller's own: a key in a header permits nothing.
    for (method, requests) in [
        (Method::GET, 3),
        (Method::HEAD, 3),
        (Method::PUT, 3),
        (Method::DELETE, 3),
        (Method::POST, 1),
        (Method::PATCH, 1),
    ] {
        let bench = Bench::new(Script::always(status(503))).await;
        let http = bench.client.http();
        let request = http.request(method.clone(), bench.server.uri() + "/orders");

        let sent = request.header(IdempotencyKey::HEADER, "order-4711").send();

        assert_eq!(sent.await.expect("a response").status(), 503);
        let sent = bench.lines().await;
        assert_eq!(sent, vec![format!("{method} /orders"); requests]);
    }
}

/// After how many attempts a failed call was stopped, and why.
fn stopped<T: Debug>(result: Result<T, ApiError>) -> (u32, Option<StopReason>) {
    match result {
        Err(ApiError::Http(error)) => (error.attempts, error.stopped),
        Err(ApiError::Transport(error)) => (error.attempts, error.stopped),
        other => panic!("a failed request, not {other:?}"),
    }
}

#[tokio::test]
async fn a_deadline_counts_the_waits_and_is_never_overrun() {
    let script = Script::always(retry_after(503, "5"));
    let bench = Bench::with(script, |builder| {
        builder.deadline(Duration::from_secs(12)).max_attempts(9)
    });
    let bench = bench.await;

    let error = http_error(bench.client.flaky().await);

    assert_eq!(error.stopped, Some(StopReason::Deadline), "{error}");
    assert_eq!(error.attempts, 3, "{error}");
    assert_eq!(error.retry_after, Some(Duration::from_secs(5)), "{error}");
    assert_eq!(bench.clock.sleeps(), [Duration::from_secs(5); 2]);
    assert_eq!(bench.lines().await, ["GET /flaky"; 3]);
}
