//! A body is read inside the attempt: it is capped there, a success that breaks
//! off is a failure like any other, and an error is judged by its head.

use std::{
    convert::Infallible,
    future::ready,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use client::{
    Clock, ConcurrencyLimit, FailureKind, IncompleteBody, StopReason, Timeouts,
    teaching::{Builder, ReliableApiClient, endpoint},
};
use futures_util::{StreamExt, stream};
use http_body_util::StreamBody;
use hyper::body::Frame;

use crate::bench::{Bench, Script, clock, http_error, status, transport_error, typed};
use crate::support::{
    drive::finish,
    offline,
    scripted::scripted,
    wire::{Then, Wire},
};

const CAP: usize = 100;

/// A JSON object of exactly `length` bytes.
fn object(length: usize) -> String {
    let padding = "x".repeat(length - r#"{"attempt":3,"x":""}"#.len());
    format!(r#"{{"attempt":3,"x":"{padding}"}}"#)
}

const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/// A response that announces its length.
fn announced(length: usize, body: &str) -> String {
    format!("{JSON}content-length: {length}\r\n\r\n{body}")
}

/// A response in two chunks that announces nothing.
fn chunked(body: &str) -> String {
    let (first, second) = body.split_at(body.len() / 2);
    let (one, other) = (first.len(), second.len());
    format!(
        "{JSON}transfer-encoding: chunked\r\n\r\n\
         {one:x}\r\n{first}\r\n{other:x}\r\n{second}\r\n0\r\n\r\n"
    )
}

/// A response that ends with its connection.
fn until_closed(body: &str) -> String {
    format!("{JSON}\r\n{body}")
}

fn client(wire: &Wire) -> ReliableApiClient {
    wire.client(|it| {
        it.max_body_bytes(CAP)
            .backoff(Duration::from_nanos(1), Duration::from_nanos(1))
    })
}

#[tokio::test]
async fn a_body_above_the_cap_is_refused_and_not_asked_for_again() {
    let (whole, longer) = (object(CAP), object(CAP + 1));
    for (response, then, is_whole) in [
        (announced(CAP, &whole), Then::Close, true),
        (chunked(&whole), Then::Close, true),
        // The length alone is enough: the body never comes.
        (announced(CAP + 1, ""), Then::Stall, false),
        (announced(CAP + 1, &longer), Then::Close, false),
        (chunked(&longer), Then::Close, false),
        // Neither announced nor ever ending.
        (until_closed(&longer), Then::Stall, false),
        (until_closed(&whole), Then::Drip("x"), false),
    ] {
        let wire = Wire::serve(&[(&response, then)]).await;

        let read = client(&wire).get(endpoint::FLAKY).await;

        assert_eq!(wire.requests().len(), 1);
        if is_whole {
            assert_eq!(read.expect("a body within the cap").text(), whole);
        } else {
            let error = transport_error(read);
            assert_eq!((error.kind, error.attempts), (FailureKind::BodyTooLarge, 1));
        }
    }
}

#[tokio::test]
async fn a_body_of_eight_mebibytes_is_whole_unless_another_cap_is_set() {
    const MEBIBYTES: usize = 8_388_608;
    let body = |length| typed(200, "application/json", object(length));
    let script = Script::of([body(MEBIBYTES), body(MEBIBYTES + 1)]);
    let bench = Bench::new(script).await;
    let client = &bench.client;

    let whole = client.get(endpoint::FLAKY).await;
    let error = transport_error(client.get(endpoint::FLAKY).await);

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

        let error = transport_error(client(&wire).flaky().await);

        assert_eq!(error.kind, kind, "{chunks:?}: {error:?}");
        let counts = [error.attempts as usize, wire.requests().len()];
        assert_eq!(counts, [3, 3], "{chunks:?}");
    }
}

#[tokio::test]
async fn an_error_whose_body_does_not_end_keeps_what_its_head_and_its_beginning_said() {
    type Change = fn(Builder) -> Builder;
    const SECONDS: Duration = Duration::from_secs(10);
    let too_long = "x".repeat(70_000);
    let rows: [(_, _, _, Change, _); 3] = [
        (
            100_000_000,
            &*too_long,
            Then::Stall,
            |it| it,
            FailureKind::BodyTooLarge,
        ),
        // Each byte starts the transport's own read timeout anew.
        (
            1_000_000,
            "",
            Then::Drip("x"),
            |it| it.timeouts(SECONDS, SECONDS / 50),
            FailureKind::ReadTimeout,
        ),
        (
            100,
            "",
            Then::Stall,
            |it| it.deadline(SECONDS / 50),
            FailureKind::ReadTimeout,
        ),
    ];
    for (length, begin, then, change, incomplete) in rows {
        let response = format!(
            "HTTP/1.1 503 \r\ncontent-type: application/problem+json\r\nx-request-id: r-1\r\n\
             retry-after: 120\r\ncontent-length: {length}\r\n\r\n{{\"code\":\"unavailable\",{begin}"
        );
        let wire = Wire::serve(&[(&response, then)]).await;
        let client = wire.client(change);

        let failed = tokio::time::timeout(SECONDS, client.flaky()).await;

        let error = http_error(failed.expect("a limit of this client"));
        assert_eq!(error.status, 503);
        assert_eq!(error.retry_after, Some(Duration::from_secs(120)));
        assert_eq!(error.stopped, Some(StopReason::RetryAfterOverBudget));
        assert_eq!(error.incomplete_body, Some(incomplete));
        assert_eq!(error.code(), Some("unavailable"));
        assert_eq!(error.request_id(), Some("r-1"));
        assert_eq!(wire.requests().len(), 1);
    }
}

/// It is not on the wire, so nothing holds the clock for it.
#[tokio::test]
async fn the_body_of_a_scripted_response_may_wait_on_the_virtual_clock() {
    let clock = clock();
    let sleeping = clock.clone();
    let transport = scripted(move |_| {
        let clock = sleeping.clone();
        let late = stream::once(async move {
            clock.sleep(Duration::from_secs(5)).await;
            Ok::<_, Infallible>(Frame::data(Bytes::from(r#"{"attempt":3}"#)))
        });
        // A body must be `Sync`, which a sleep is not.
        let late = Mutex::new(Box::pin(late));
        let late = stream::poll_fn(move |it| late.lock().expect("no panic").poll_next_unpin(it));
        let body = reqwest::Body::wrap(StreamBody::new(late));
        let response = http::Response::builder().header("content-type", "application/json");
        ready(Ok(response.body(body).expect("a response")))
    });
    let (client, _) = offline(transport, |it| it.clock(Arc::new(clock.clone())));

    let read = tokio::time::timeout(Duration::from_secs(10), client.flaky()).await;

    let flaky = read.expect("no hang").expect("a success");
    assert_eq!(flaky.attempt, 3);
    assert_eq!(clock.monotonic(), Duration::from_secs(5));
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
    let (client, clock) = offline(transport, |it| it);

    let ended = finish(client.flaky()).expect("it ends");

    let error = http_error(ended);
    assert_eq!(error.status.as_u16(), 404);
    assert_eq!(error.incomplete_body, Some(FailureKind::ReadTimeout));
    assert_eq!(clock.monotonic(), Timeouts::DEFAULT.read);
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
    let client = wire.client(|it| it.concurrency_limit(limit.clone()));

    let call = tokio::spawn(async move { client.flaky().await.map(drop) });
    let halved = async {
        while limit.current() == 32 {
            tokio::task::yield_now().await;
        }
    };
    let halved = tokio::time::timeout(Duration::from_secs(10), halved).await;

    halved.expect("the read timeout is longer than this");
    assert!(!call.is_finished(), "its body is still to come");
    call.abort();
}
