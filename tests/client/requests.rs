//! The content of requests: headers that they carry, and secrets that they must not.

use std::time::Duration;

use client::{
    ApiError, FailureKind, Timeouts,
    teaching::{Builder, ReliableApiClient, endpoint},
};
use host::fault_injection::ResponseFault;
use http::{HeaderName, Method};
use tests::{
    Bench, Loopback, Script, call, client_of, never_resolving, silently, status, transport_error,
};
use tokio::time::Instant;

/// Calls every method of the client once, each of which fails.
async fn call_everything(client: &ReliableApiClient) -> Vec<ApiError> {
    let mut errors = Vec::new();
    for endpoint in endpoint::ALL {
        errors.push(call(client, endpoint).await.expect_err("it fails"));
    }
    errors
}

#[tokio::test]
async fn every_request_says_that_it_accepts_json_and_carries_no_credential() {
    let bench = Bench::new(Script::always(status(404))).await;

    call_everything(&bench.client).await;

    assert_eq!(
        bench.lines().await,
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
    for sent in bench.sent().await {
        let mut names: Vec<_> = sent.headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(sent.headers["accept"], "application/json", "{sent:?}");
        if sent.method == Method::POST {
            let of_a_body = ["content-length", "content-type"];
            let all = [&["accept"][..], &of_a_body, &["host", "idempotency-key"]];
            assert_eq!(names, all.concat());
            assert_eq!(sent.headers["content-type"], "application/json");
            assert_eq!(sent.body, b"{}");
        } else {
            assert_eq!(names, ["accept", "host"], "{sent:?}");
            assert!(sent.body.is_empty(), "{sent:?}");
        }
    }
}

/// How long the requests of every method, and one beside them, are waited for.
async fn time_taken(
    base_url: &str,
    kind: FailureKind,
    patience: Duration,
    configure: impl FnOnce(Builder) -> Builder,
) -> Duration {
    let (client, _) = client_of(base_url, |builder| configure(builder).max_attempts(1));
    let calls = async {
        let began = Instant::now();
        for error in call_everything(&client).await {
            assert_eq!(transport_error::<()>(Err(error)).kind, kind);
        }
        let url = format!("{base_url}/flaky");
        let other = client.http().get(url).send().await;
        let other = other.expect_err("no response");
        assert_eq!(FailureKind::of(&other), kind);
        began.elapsed()
    };
    silently(patience, calls).await
}

#[tokio::test]
async fn every_request_keeps_the_timeout_pair() {
    const REQUESTS: u32 = 13;
    let given = Timeouts::new(Duration::from_secs(7), Duration::from_secs(11));
    let silent = Loopback::with_faults(&[ResponseFault::Silence; 2 * REQUESTS as usize]);

    for (pair, is_default) in [(Timeouts::DEFAULT, true), (given, false)] {
        let set = |builder: Builder| {
            if is_default {
                builder
            } else {
                builder.timeouts(pair.connect, pair.read)
            }
        };
        let url = silent.service.base_url();
        let read = time_taken(&url, FailureKind::ReadTimeout, pair.read, set).await;
        let connect = time_taken(
            "http://service.test",
            FailureKind::ConnectTimeout,
            pair.connect,
            |builder| set(builder).session(never_resolving()),
        );
        let connect = connect.await;

        for (taken, timeout) in [(read, pair.read), (connect, pair.connect)] {
            let taken = taken / REQUESTS;
            // A request may begin within a step of the time, a twentieth.
            let range = timeout..timeout + timeout / 10;
            assert!(range.contains(&taken), "{taken:?} for each, of {timeout:?}");
        }
    }
    silent.stop().await;
    assert_eq!(Timeouts::DEFAULT.connect, Duration::from_millis(3050));
    assert_eq!(Timeouts::DEFAULT.read, Duration::from_secs(15));
}
