//! The decisions of a call, as its spans show them.

use std::{sync::Arc, time::Duration};

use client::{
    Backoff, Clock, ConcurrencyLimit, Endpoint, NoWait, RetryMiddleware, teaching::Builder,
    telemetry::CONCURRENCY_REDUCTIONS,
};
use reqwest_retry::RetryPolicy;
use serde_json::json as value;

use crate::bench::{
    Bench, Draw, Reply, Script, Spans, Tally, clock, http_error, json, retry_after, status, sum,
};
use crate::support::stack;

const WAIT: &str = "reliable_api_client.wait.seconds";
const CEILING: &str = "reliable_api_client.wait.ceiling_seconds";

/// The spans of a call whose every request has the same response, and whose jitter
/// draws 0.5.
async fn spans_of_a_call(configure: impl FnOnce(Builder) -> Builder, response: Reply) -> Spans {
    let (spans, _watch) = Spans::watch();
    let bench = Bench::with(Script::always(response), configure).await;
    http_error(bench.client.flaky().await);
    spans
}

/// The spans of a request over a stack of the caller's own, whose policy goes by this
/// clock, to a service that is down.
async fn spans_of_a_stack<P>(policy: impl FnOnce(Arc<dyn Clock>) -> P) -> Spans
where
    P: RetryPolicy + Send + Sync + 'static,
{
    let (spans, _watch) = Spans::watch();
    let down = Bench::new(Script::always(status(503))).await;
    let clock: Arc<dyn Clock> = Arc::new(clock());
    let policy = policy(Arc::clone(&clock));
    let retries = RetryMiddleware::with_policy(policy, clock);
    let response = stack(retries).get(down.server.uri()).send().await;
    response.expect("a response");
    spans
}

#[tokio::test]
async fn a_wait_names_what_its_backoff_was_drawn_below() {
    const BASE: Duration = Duration::from_secs(2);
    const CAP: Duration = Duration::from_secs(60);
    let of_a_stack = |clock| Backoff::new(BASE, CAP, clock, Arc::new(Draw(0.5))).expect("legal");

    for spans in [
        spans_of_a_call(|builder| builder.backoff(BASE, CAP), status(503)).await,
        spans_of_a_stack(of_a_stack).await,
    ] {
        assert_eq!(spans.values(WAIT), ["1.0", "2.0"]);
        assert_eq!(spans.values(CEILING), ["2.0", "4.0"]);
    }
}

#[tokio::test]
async fn a_wait_that_was_not_drawn_below_anything_names_nothing() {
    for spans in [
        spans_of_a_call(|builder| builder, retry_after(503, "7")).await,
        spans_of_a_call(|builder| builder.policy(NoWait), status(503)).await,
        spans_of_a_stack(|_| NoWait).await,
    ] {
        assert_eq!(spans.values(WAIT).len(), 2);
        assert_eq!(spans.values(CEILING), [""; 0]);
    }
}

#[tokio::test]
async fn a_stop_names_the_wait_that_was_not_begun() {
    let seconds = Duration::from_secs;
    let tight = |builder: Builder| builder.backoff(seconds(2), seconds(2)).deadline(seconds(1));
    let spread = |builder: Builder| builder.retry_after_spread(seconds(4)).deadline(seconds(8));
    let patient = |builder| builder;
    for (spans, wait) in [
        (
            spans_of_a_call(patient, retry_after(503, "120")).await,
            "120.0",
        ),
        (spans_of_a_call(tight, status(503)).await, "1.0"),
        (spans_of_a_call(spread, retry_after(503, "7")).await, "9.0"),
    ] {
        assert_eq!(spans.values(WAIT), [""; 0]);
        let weighed = spans.values("reliable_api_client.stop.wait_seconds");
        assert_eq!(weighed, [wait]);
    }
}

#[tokio::test]
async fn the_span_of_a_request_names_its_method_or_http() {
    let (spans, _watch) = Spans::watch();
    let bench = Bench::new(Script::always(status(204))).await;

    for method in ["GET", "PURGE"] {
        let method = method.parse().expect("a method");
        let request = bench.client.http().request(method, bench.server.uri());
        request.send().await.expect("a response");
    }

    let names = spans.values("otel.name");
    for name in ["GET /", "HTTP /"] {
        assert!(names.iter().any(|found| found == name), "{names:?}");
    }
}

#[tokio::test]
async fn a_response_that_moves_the_concurrency_limit_says_so() {
    let (spans, _watch) = Spans::watch();
    let tally = Tally::new();
    let script = Script::by(|request| match request.url.path() {
        "/throttled" => retry_after(429, "120"),
        "/missing" => status(404),
        "/stock" => json(200, &value!({})),
        _ => status(204),
    });
    let bench = Bench::with(script, |builder| {
        builder
            .concurrency_limit(ConcurrencyLimit::new(6))
            .recorder(tally.recorder())
    });
    let bench = bench.await;
    let client = &bench.client;

    // 6, 3, 1.5, 1, and there it stays.
    for _ in 0..4 {
        let throttled = client.get(Endpoint::new("throttled", "/throttled"));
        throttled.send().await.expect_err("a 429");
    }
    let missing = client.get(Endpoint::new("missing", "/missing"));
    missing.send().await.expect_err("a 404");
    // The limit grows 2, 2.5, 2.9, 3.2; only whole slots count.
    for _ in 0..2 {
        client.no_content().await.expect("a 204");
        let stock = client.get(Endpoint::new("stock", "/stock"));
        stock.send().await.expect("a 200 with a body");
    }

    let before = spans.values("reliable_api_client.concurrency.limit_before");
    assert_eq!(before, ["6", "3", "1", "2"]);
    let after = spans.values("reliable_api_client.concurrency.limit_after");
    assert_eq!(after, ["3", "1", "2", "3"]);
    let reductions = sum(&tally.read(), CONCURRENCY_REDUCTIONS.name, &[]);
    assert_eq!(reductions, 3.0, "6, 3 and 1.5 were reduced, 1 was not");
}
