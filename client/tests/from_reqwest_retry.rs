//! The differences from `reqwest-retry` that the README lists, put to both layers. Rules of
//! this layer that the other one does not have are tested where they are at home.

use std::{sync::Arc, time::Duration};

use client::{FailureKind, RetryMiddleware, RetryReport, StopReason, telemetry::GIVE_UPS};
use http::Method;
use reqwest::{Body, Response};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware};
use reqwest_retry::{
    DefaultRetryableStrategy, RetryTransientMiddleware, policies::ExponentialBackoff,
};

use crate::bench::{Bench, Reply, Script, Tally, clock, retry_after, status, sum};
use crate::support::{
    retries, session, stack,
    wire::{Then, Wire},
};

/// `reqwest-retry` with two retries, which does not wait before them.
fn before() -> RetryTransientMiddleware<ExponentialBackoff> {
    let policy = ExponentialBackoff::builder()
        .retry_bounds(Duration::ZERO, Duration::ZERO)
        .build_with_max_retries(2);
    RetryTransientMiddleware::new_with_policy(policy)
}

/// The number of requests until the layer delivers.
async fn requests(layer: impl Middleware, method: Method, reply: Reply) -> usize {
    let service = Bench::new(Script::always(reply)).await;
    let request = stack(layer).request(method, service.server.uri());
    request.send().await.expect("a response");
    service.sent().await.len()
}

/// Why the layer did not send another request.
fn stopped(response: &Response) -> Option<StopReason> {
    let report = response.extensions().get::<RetryReport>();
    report.and_then(|report| report.stopped)
}

#[tokio::test]
async fn methods_and_statuses_are_retried_as_the_page_says() {
    for (method, reply, of_before, of_after) in [
        (Method::GET, status(503), 3, 3),
        (Method::PUT, status(503), 3, 3),
        (Method::POST, status(503), 3, 1),
        (Method::PATCH, status(503), 3, 1),
        (Method::GET, status(429), 3, 3),
        (Method::GET, status(500), 3, 3),
        (Method::GET, status(502), 3, 3),
        (Method::GET, status(504), 3, 3),
        (Method::GET, status(408), 3, 1),
        (Method::GET, status(501), 3, 1),
        (Method::GET, status(505), 3, 1),
        (Method::GET, status(404), 1, 1),
        (Method::GET, retry_after(503, "120"), 3, 1),
    ] {
        let story = format!("{method} {reply:?}");
        let old = requests(before(), method.clone(), reply.clone()).await;
        let new = requests(retries(&clock()), method, reply).await;

        assert_eq!((old, new), (of_before, of_after), "{story}");
    }
}

#[tokio::test]
async fn a_success_that_breaks_off_is_delivered_before_and_retried_here() {
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf";
    let broken = async || Wire::serve(&[(half, Then::Close)]).await;
    let [old, new, kept] = [broken().await, broken().await, broken().await];
    let policy = ExponentialBackoff::builder().build_with_max_retries(2);
    let at_rest = Arc::new(clock());
    let keeping = RetryMiddleware::with_policy(policy, at_rest).strategy(DefaultRetryableStrategy);

    let of_before = stack(before()).get(old.base_url()).send().await;
    let of_after = stack(retries(&clock())).get(new.base_url());
    let of_after = of_after.send().await;
    let of_kept_strategy = stack(keeping).get(kept.base_url()).send().await;

    let counts = [old, new, kept].map(|server| server.requests().len());
    assert_eq!(counts, [1, 3, 1]);
    let body = of_before.expect("a response").bytes().await;
    assert!(body.is_err(), "{body:?}");
    for response in [of_after, of_kept_strategy] {
        let error = response.expect_err("no response that is complete");
        assert_eq!(FailureKind::of(&error), FailureKind::ConnectionLost);
    }
}

#[tokio::test]
async fn a_body_that_is_a_stream_is_refused_before_and_sent_once_here() {
    // The body of a response comes piece by piece, and so it is a stream.
    let stream = || Body::from(Response::from(http::Response::new("")));
    let tally = Tally::new();
    let counting = retries(&clock()).recorder(tally.recorder());
    let down = async || Bench::new(Script::always(status(503))).await;
    let [old, new] = [down().await, down().await];
    let send = |layer: ClientWithMiddleware, service: &Bench| {
        layer.put(service.server.uri()).body(stream()).send()
    };

    let refused = send(stack(before()), &old).await;
    let sent = send(stack(counting), &new).await;

    assert!(refused.is_err(), "{refused:?}");
    let sent = sent.expect("a response");
    assert_eq!(sent.status(), 503);
    assert_eq!(stopped(&sent), Some(StopReason::BodyIsStream));
    assert_eq!(sum(&tally.read(), GIVE_UPS.name, &[]), 1.0);
    assert_eq!([old.sent().await.len(), new.sent().await.len()], [0, 1]);
}

#[tokio::test]
async fn a_default_session_repeats_a_post_on_its_own() {
    let script = Script::by(|request| match request.url.path() {
        "/elsewhere" => status(201),
        _ => status(307).header("location", "/elsewhere"),
    });
    let service = Bench::new(script).await;
    let url = service.server.uri();
    let default = ClientBuilder::new(session().build().expect("a session"));
    let default = default.with(retries(&clock())).build();
    let quiet = stack(retries(&clock()));

    let followed = default.post(&url).body("once").send().await;
    let handed_over = quiet.post(&url).body("once").send().await;

    assert_eq!(followed.expect("a response").status(), 201);
    assert_eq!(handed_over.expect("a response").status(), 307);
    let sent = service.sent().await;
    let bodies = sent.iter().map(|request| &*request.body);
    assert_eq!(bodies.collect::<Vec<_>>(), [b"once"; 3]);
}
