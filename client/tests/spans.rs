//! What the spans of a call say of its decisions.

use std::{future::ready, sync::Arc, time::Duration};

use client::{
    Backoff, Classifier, Clock, ConcurrencyLimit, Endpoint, NoWait, RetryMiddleware,
    teaching::Builder, telemetry::CONCURRENCY_REDUCTIONS,
};
use metrics_util::debugging::DebuggingRecorder;
use reqwest::Response;
use reqwest_retry::RetryPolicy;

use crate::support::{
    Unit,
    counted::Counted,
    heard::{Heard, listen},
    http_error, offline,
    scripted::{retry_after, scripted, status},
    virtual_clock,
};

/// What is heard of a call whose every request has the same response, of which
/// half is drawn where anything is drawn.
async fn heard_of_a_call(
    configure: impl FnOnce(Builder) -> Builder,
    response: fn() -> Response,
) -> Heard {
    let (heard, _guard) = listen();
    let client = configure(offline(&virtual_clock()).random(Arc::new(Unit(0.5))))
        .transport(scripted(move |_| ready(Ok(response()))))
        .build()
        .expect("a client");
    http_error(client.flaky().await);
    heard
}

/// What is heard of a request over a stack whose policy goes by this clock, to a
/// service that is down.
async fn heard_of_a_stack<P>(policy: impl FnOnce(Arc<dyn Clock>) -> P) -> Heard
where
    P: RetryPolicy + Send + Sync + 'static,
{
    client::install_tls_provider();
    let (heard, _guard) = listen();
    let clock: Arc<dyn Clock> = Arc::new(virtual_clock());
    let policy = policy(Arc::clone(&clock));
    let session = reqwest::Client::builder().tls_certs_only([]).build();
    let stack = reqwest_middleware::ClientBuilder::new(session.expect("a session"))
        .with(RetryMiddleware::with_policy(
            policy,
            Classifier::default(),
            clock,
        ))
        .with(scripted(|_| ready(Ok(status(503)))))
        .build();
    let response = stack.get("http://127.0.0.1:1/").send().await;
    response.expect("a response");
    heard
}

#[tokio::test]
async fn a_wait_names_what_its_backoff_was_drawn_below() {
    const BASE: Duration = Duration::from_secs(2);
    const CAP: Duration = Duration::from_secs(60);
    let of_a_stack = |clock| Backoff::new(BASE, CAP, clock, Arc::new(Unit(0.5))).expect("legal");

    for heard in [
        heard_of_a_call(|builder| builder.backoff(BASE, CAP), || status(503)).await,
        heard_of_a_stack(of_a_stack).await,
    ] {
        assert_eq!(heard.values("wait.seconds"), ["1.0", "2.0"]);
        assert_eq!(heard.values("wait.ceiling_seconds"), ["2.0", "4.0"]);
    }
}

#[tokio::test]
async fn a_wait_that_was_not_drawn_below_anything_names_nothing() {
    for heard in [
        heard_of_a_call(|builder| builder, || retry_after(503, "7")).await,
        heard_of_a_call(|builder| builder.policy(NoWait), || status(503)).await,
        heard_of_a_stack(|_| NoWait).await,
    ] {
        assert_eq!(heard.values("wait.seconds").len(), 2);
        assert_eq!(heard.values("wait.ceiling_seconds"), [""; 0]);
    }
}

#[tokio::test]
async fn a_stop_names_the_wait_that_was_not_begun() {
    let seconds = Duration::from_secs;
    let tight = |builder: Builder| builder.backoff(seconds(2), seconds(2)).deadline(seconds(1));
    let spread = |builder: Builder| builder.retry_after_spread(seconds(4)).deadline(seconds(8));
    for (heard, wait) in [
        (
            heard_of_a_call(|builder| builder, || retry_after(503, "120")).await,
            "120.0",
        ),
        (heard_of_a_call(tight, || status(503)).await, "1.0"),
        (
            heard_of_a_call(spread, || retry_after(503, "7")).await,
            "9.0",
        ),
    ] {
        assert_eq!(heard.values("wait.seconds"), [""; 0]);
        assert_eq!(heard.values("stop.wait_seconds"), [wait]);
    }
}

#[tokio::test]
async fn a_response_that_moves_the_concurrency_limit_says_so() {
    let (heard, _guard) = listen();
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let client = offline(&virtual_clock())
        .concurrency_limit(ConcurrencyLimit::new(6))
        .recorder(Arc::new(recorder))
        .transport(scripted(|request| {
            ready(Ok(match request.url().path() {
                "/throttled" => retry_after(429, "120"),
                "/missing" => status(404),
                _ => status(204),
            }))
        }))
        .build()
        .expect("a client");

    // 6, 3, 1.5, 1, and there it stays.
    for _ in 0..4 {
        let _ = client
            .get(Endpoint::new("throttled", "/throttled"))
            .await
            .expect_err("a 429");
    }
    let _ = client
        .get(Endpoint::new("missing", "/missing"))
        .await
        .expect_err("a 404");
    // 2, 2.5, 2.9, 3.2: what is earned in parts is no place yet.
    for _ in 0..4 {
        client.no_content().await.expect("a 204");
    }

    assert_eq!(
        heard.values("concurrency.limit_before"),
        ["6", "3", "1", "2"]
    );
    assert_eq!(
        heard.values("concurrency.limit_after"),
        ["3", "1", "2", "3"]
    );
    let reductions = Counted::read(&snapshotter).sum(CONCURRENCY_REDUCTIONS.name);
    assert_eq!(reductions, 3.0, "6, 3 and 1.5 were reduced, 1 was not");
}
