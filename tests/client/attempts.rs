//! How often a request is sent, and which may be sent again at all.

use std::{fmt::Debug, time::Duration};

use client::{
    ApiError, Endpoint, FailureKind, IdempotencyKey, JsonObject, RepeatPermission, StopReason,
};
use http::Method;
use tests::{Bench, Loopback, Reply, Session, http_error, status, story};

#[tokio::test]
async fn two_attempts_at_flaky_end_in_a_503_and_three_succeed() {
    for (max_attempts, requests) in [(1, 1), (2, 2), (3, 3), (9, 3)] {
        let loopback = Loopback::start_with(|builder| builder.max_attempts(max_attempts));

        let flaky = loopback.client.flaky().await;

        let waits = loopback.clock.sleeps().len() as u64;
        let ledger = loopback.stop().await;
        let story = format!("{max_attempts} attempts, {}", story(&ledger));
        assert_eq!((ledger.total, waits), (requests, requests - 1), "{story}");
        if max_attempts < 3 {
            let error = http_error(flaky);
            assert_eq!(error.status, 503, "{story}");
            assert_eq!(u64::from(error.attempts), requests, "{story}");
        } else {
            assert_eq!(flaky.expect("a success").attempt, 3, "{story}");
        }
    }
}

const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

#[tokio::test]
async fn a_post_is_repeated_only_by_the_method_that_is_authorized() {
    let key = IdempotencyKey::new("order-4711").expect("a key");
    let body = JsonObject::new();
    let timeout = Reply::failure(FailureKind::ReadTimeout);
    for reply in [status(503), status(429), timeout] {
        let (any, jobs) = (
            Bench::new(Session::always(reply.clone())),
            Bench::new(Session::always(reply)),
        );

        let to_any = any.client.post(ORDERS, Some(&key), &body).await;
        let to_jobs = jobs.client.create_job(&key, &body).await;

        assert_eq!(
            stopped(to_any),
            (1, Some(StopReason::NotEligible)),
            "{any:?}"
        );
        assert_eq!(
            stopped(to_jobs),
            (3, Some(StopReason::AttemptsExhausted)),
            "{jobs:?}"
        );
        for (bench, requests) in [(any, 1), (jobs, 3)] {
            let sent = bench.session.sent();
            assert_eq!(sent.len(), requests, "{bench:?}");
            for sent in sent {
                assert_eq!(sent.header(IdempotencyKey::HEADER), Some("order-4711"));
            }
        }
    }

    // Below the methods of the client: what a method, a header and a permission
    // are each worth.
    for (method, permission, requests) in [
        (Method::GET, None, 3),
        (Method::HEAD, None, 3),
        (Method::PUT, None, 3),
        (Method::DELETE, None, 3),
        (Method::POST, None, 1),
        (Method::PATCH, None, 1),
        (Method::POST, Some(RepeatPermission), 3),
    ] {
        let bench = Bench::new(Session::always(status(503)));
        let http = bench.client.http();
        let request = http.request(method, "http://service.test/orders");
        let request = request.header(IdempotencyKey::HEADER, "order-4711");

        let sent = match permission {
            Some(permission) => request.with_extension(permission).send().await,
            None => request.send().await,
        };

        assert_eq!(sent.expect("a response").status(), 503);
        let story = format!("{permission:?}, {}", bench.session);
        assert_eq!(bench.session.sent().len(), requests, "{story}");
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
    let told = status(503).header("retry-after", "5");
    let bench = Bench::with(Session::always(told), |builder| {
        builder.deadline(Duration::from_secs(12)).max_attempts(9)
    });

    let error = http_error(bench.client.flaky().await);

    assert_eq!(error.stopped, Some(StopReason::Deadline), "{error}");
    assert_eq!(error.attempts, 3, "{error}");
    assert_eq!(error.retry_after, Some(Duration::from_secs(5)), "{error}");
    assert_eq!(bench.clock.sleeps(), [Duration::from_secs(5); 2]);
    let left: Vec<_> = bench
        .session
        .sent()
        .iter()
        .map(|sent| sent.time_left)
        .collect();
    assert_eq!(left, [12, 7, 2].map(|left| Some(Duration::from_secs(left))));
}
