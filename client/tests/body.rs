//! A body is read inside the attempt: it is capped there, a success that breaks
//! off is a failure like any other, and an error is judged by its head.

use std::{
    convert::Infallible,
    future::ready,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use client::{
    ApiError, Clock, ConcurrencyLimit, FailureKind, IncompleteBody, ResponseProblem, StopReason,
    Timeouts,
    teaching::{Builder, endpoint},
};
use futures_util::stream;
use http_body_util::{Full, StreamBody};
use hyper::body::{Body, Frame, SizeHint};
use tower::ServiceExt;
use tower_http::decompression::Decompression;

use crate::bench::{Bench, Script, clock, http_error, silently, status, transport_error, typed};
use crate::support::{
    drive::finish,
    offline, retries,
    scripted::scripted,
    stack,
    wire::{ENDLESS, Then, Wire},
};

#[tokio::test]
async fn a_body_of_eight_mebibytes_is_whole_unless_another_cap_is_set() {
    const MEBIBYTES: usize = 8_388_608;
    let body = |length| {
        let padding = "x".repeat(length - r#"{"x":""}"#.len());
        typed(200, "application/json", format!(r#"{{"x":"{padding}"}}"#))
    };
    let script = Script::of([body(MEBIBYTES), body(MEBIBYTES + 1)]);
    let bench = Bench::new(script).await;
    let client = &bench.client;

    let whole = client.get(endpoint::FLAKY).send().await;
    let error = transport_error(client.get(endpoint::FLAKY).send().await);

    assert_eq!(whole.expect("a whole body").text().len(), MEBIBYTES);
    assert_eq!(error.kind, FailureKind::BodyTooLarge);
}

#[tokio::test]
async fn the_body_of_an_error_is_read_up_to_64_kibibytes() {
    let too_large = Some(IncompleteBody(FailureKind::BodyTooLarge));
    for (length, incomplete) in [(65_536, None), (65_537, too_large)] {
        let reply = status(400).body("x".repeat(length));
        let bench = Bench::new(Script::always(reply)).await;

        let sent = bench.client.http().get(bench.server.uri());
        let response = sent.send().await.expect("a response");

        assert_eq!(response.extensions().get().copied(), incomplete, "{length}");
        assert_eq!(response.bytes().await.expect("what was read").len(), 65_536);
    }
}

#[tokio::test]
async fn a_broken_chunk_is_no_http_and_a_missing_one_a_lost_connection() {
    const NANO: Duration = Duration::from_nanos(1);
    const HEAD: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for (chunks, kind) in [
        ("zz\r\nabc", FailureKind::Protocol),
        ("ffffffffffffffffff\r\nabc", FailureKind::Protocol),
        ("3\r\nabcdef\r\n", FailureKind::Protocol),
        ("3\r\nabc\r\n0\r\nno trailer\r\n\r\n", FailureKind::Protocol),
        ("", FailureKind::ConnectionLost),
        ("9", FailureKind::ConnectionLost),
        ("9\r\nabc", FailureKind::ConnectionLost),
        ("3\r\nabc\r\n", FailureKind::ConnectionLost),
    ] {
        let wire = Wire::serve(&[(&format!("{HEAD}{chunks}"), Then::Close)]).await;

        let client = wire.client(|builder| builder.backoff(NANO, NANO));
        let error = transport_error(client.flaky().await);

        assert_eq!(error.kind, kind, "{chunks:?}: {error:?}");
        let counts = [error.attempts as usize, wire.requests().len()];
        assert_eq!(counts, [3, 3], "{chunks:?}");
    }
}

/// The time that a client of a flood has: a test that hangs fails by it.
const PATIENCE: Duration = Duration::from_secs(1000);

#[tokio::test]
async fn a_body_without_an_end_is_not_read_without_an_end() {
    const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    let chunked = format!("{JSON}transfer-encoding: chunked\r\n\r\n");
    for (head, part, ended) in [
        (format!("{JSON}\r\n"), "x", "body_too_large"),
        (chunked, "1\r\nx\r\n", "body_too_large"),
        ("HTTP/1.1 404 \r\n\r\n".to_owned(), "x", "404"),
    ] {
        let wire = Wire::serve(&[(&head, Then::Flood(part))]).await;
        let client = wire.client(|builder| {
            let builder = builder.timeouts(PATIENCE, PATIENCE).max_attempts(1);
            builder.max_body_bytes(16 * 1024)
        });

        let error = client.flaky().await.expect_err("it never ends");

        assert_eq!(error.error_type(), ended, "{head}");
        assert!(wire.flooded() < ENDLESS, "the client took it all: {head}");
    }
}

/// A response as a session gives it that undoes a `Content-Encoding`, because another crate
/// has enabled that in `reqwest`: over the same decoder.
async fn decoded(status: u16, coding: &'static str, body: &'static [u8]) -> reqwest::Response {
    let response = http::Response::builder()
        .status(status)
        .header("content-encoding", coding)
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from_static(body)))
        .expect("a response");
    let service =
        tower::service_fn(move |_: http::Request<()>| ready(Ok::<_, Infallible>(response.clone())));
    let response = Decompression::new(service)
        .oneshot(http::Request::new(()))
        .await;
    response
        .expect("a response")
        .map(reqwest::Body::wrap)
        .into()
}

/// `{"attempt":3}`, packed.
const GZIP: &[u8] = &[
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 44, 41, 73, 205, 45, 40, 81, 178, 50, 174, 5, 0,
    119, 153, 246, 233, 13, 0, 0, 0,
];

#[tokio::test]
async fn a_complete_body_that_cannot_be_decoded_is_final_and_an_error_of_the_response() {
    let wrong_checksum = GZIP.iter().enumerate();
    let wrong_checksum = wrong_checksum.map(|(at, byte)| if at == 26 { byte ^ 1 } else { *byte });
    let wrong_checksum: &'static [u8] = wrong_checksum.collect::<Vec<_>>().leak();
    for (coding, body, is_good) in [
        ("gzip", GZIP, true),
        ("gzip", b"{\"attempt\":3}", false),
        ("gzip", &GZIP[..1], false),
        ("gzip", &GZIP[..20], false),
        ("gzip", &GZIP[..GZIP.len() - 1], false),
        ("gzip", wrong_checksum, false),
        ("deflate", b"{\"attempt\":3}", false),
    ] {
        for status in [200, 404] {
            let requests = Arc::new(AtomicU32::new(0));
            let seen = Arc::clone(&requests);
            let transport = scripted(move |_| {
                seen.fetch_add(1, Ordering::Relaxed);
                async move { Ok(decoded(status, coding, body).await) }
            });
            let (client, _) = offline(transport, |builder| builder);

            let result = client.flaky().await;

            let story = format!("{status} {coding} {body:?}");
            match (status, is_good, result) {
                (200, true, result) => assert_eq!(result.expect(&story).attempt, 3),
                (200, false, Err(ApiError::Response(error))) => {
                    assert_eq!(error.problem, ResponseProblem::Undecodable, "{story}");
                    assert_eq!(error.headers()["content-type"], "application/json");
                    assert_eq!((error.status.as_u16(), error.attempts), (200, 1));
                }
                // Of an error, the status decides.
                (404, is_good, Err(ApiError::Http(error))) => {
                    let incomplete = (!is_good).then_some(FailureKind::Undecodable);
                    assert_eq!(error.incomplete_body, incomplete, "{story}");
                }
                (.., result) => panic!("{story}: {result:?}"),
            }
            assert_eq!(requests.load(Ordering::Relaxed), 1, "{story}");
        }
    }
}

#[tokio::test]
async fn an_error_whose_body_does_not_end_keeps_what_its_head_said() {
    type Change = fn(Builder) -> Builder;
    const SECONDS: Duration = Duration::from_secs(10);
    let rows: [(_, Change); 2] = [
        // Each byte starts the transport's own read timeout anew.
        (Then::Drip("x"), |builder| {
            builder.timeouts(SECONDS, SECONDS)
        }),
        (Then::Stall, |builder| builder.deadline(SECONDS)),
    ];
    for (then, change) in rows {
        let response = "HTTP/1.1 503 \r\ncontent-type: application/problem+json\r\n\
                        x-request-id: r-1\r\nretry-after: 120\r\ncontent-length: 1000000\r\n\r\n\
                        {\"code\":\"unavailable\"}";
        let wire = Wire::serve(&[(response, then)]).await;
        let client = wire.client(change);

        let failed = silently(SECONDS, client.flaky()).await;

        let error = http_error(failed);
        assert_eq!(error.status, 503);
        assert_eq!(error.retry_after, Some(Duration::from_secs(120)));
        assert_eq!(error.stopped, Some(StopReason::RetryAfterOverBudget));
        assert_eq!(error.incomplete_body, Some(FailureKind::ReadTimeout));
        assert_eq!(error.code(), None, "its body is incomplete");
        assert_eq!(error.request_id(), Some("r-1"));
        assert_eq!(wire.requests().len(), 1);
    }
}

/// A transport that is handed in needs no timer of Tokio, and no runtime.
#[test]
fn a_silent_body_of_an_error_is_given_up_on_the_injected_clock() {
    let transport = scripted(|_| {
        let silent = stream::pending::<Result<Frame<Bytes>, Infallible>>();
        let body = reqwest::Body::wrap(StreamBody::new(silent));
        let response = http::Response::builder().status(404).body(body);
        ready(Ok(response.expect("a response")))
    });
    let (client, clock) = offline(transport, |builder| builder);

    let ended = finish(client.flaky()).expect("it ends");

    let error = http_error(ended);
    assert_eq!(error.status.as_u16(), 404);
    assert_eq!(error.incomplete_body, Some(FailureKind::ReadTimeout));
    assert_eq!(clock.monotonic(), Timeouts::DEFAULT.read);
}

#[tokio::test]
async fn a_request_of_a_stack_of_ones_own_may_carry_the_time_for_the_body_of_an_error() {
    let silent = "HTTP/1.1 404 \r\ncontent-length: 9\r\n\r\n{";
    let minute = Duration::from_secs(60);
    for (own, expected) in [(None, Timeouts::DEFAULT.read), (Some(minute), minute)] {
        let wire = Wire::serve(&[(silent, Then::Stall)]).await;
        let mut request = stack(retries(&clock())).get(wire.base_url());
        if let Some(read) = own {
            request = request.with_extension(Timeouts::new(read, read));
        }
        let began = tokio::time::Instant::now();

        let response = silently(expected, request.send()).await;

        assert_eq!(response.expect("a response").status(), 404);
        assert!(began.elapsed() >= expected, "{expected:?}");
    }
}

/// A body of no bytes that never ends.
struct NoBytes;

impl Body for NoBytes {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(0)
    }
}

#[test]
fn a_body_without_bytes_is_complete_at_once() {
    for code in [200, 404] {
        let transport = scripted(move |_| {
            let body = reqwest::Body::wrap(NoBytes);
            let response = http::Response::builder().status(code).body(body);
            ready(Ok(response.expect("a response")))
        });
        let (client, clock) = offline(transport, |builder| builder);

        let ended = finish(client.flaky()).expect("it ends");

        match ended {
            Err(ApiError::Http(error)) => {
                assert_eq!((error.status.as_u16(), error.incomplete_body), (404, None));
            }
            Err(ApiError::Response(error)) => assert_eq!(error.status, 200),
            ended => panic!("{code}: {ended:?}"),
        }
        assert_eq!(clock.monotonic(), Duration::ZERO);
    }
}

/// No clock reaches its end.
#[tokio::test]
async fn the_longest_timeout_of_a_request_is_none() {
    let bench = Bench::new(Script::always(status(200))).await;

    let request = bench.client.http().get(bench.server.uri());
    let response = request.timeout(Duration::MAX).send().await;

    assert_eq!(response.expect("a response").status(), 200);
}

/// Not only when its body has ended, which may take a read timeout.
#[tokio::test]
async fn a_429_slows_the_others_down_as_soon_as_its_head_is_there() {
    let silent = "HTTP/1.1 429 \r\ncontent-length: 9\r\n\r\n{";
    let wire = Wire::serve(&[(silent, Then::Stall)]).await;
    let limit = ConcurrencyLimit::new(32);
    let client = wire.client(|builder| builder.concurrency_limit(limit.clone()));

    let call = tokio::spawn(async move { client.flaky().await.map(drop) });
    while limit.current() == 32 {
        assert!(!call.is_finished(), "its body is still to come");
        tokio::task::yield_now().await;
    }

    assert!(!call.is_finished(), "its body is still to come");
    call.abort();
}
