//! The client counts the requests that the service saw, and never comes early.

use std::{sync::Arc, time::Duration};

use client::{ApiError, teaching::endpoint, telemetry::Injector};
use http::HeaderValue;
use tests::{Loopback, Spans, Tally, call, sum};

/// Says of all requests that they belong together, so that the service can tell
/// which of them came early.
fn one_trace() -> Injector {
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    Arc::new(|_, headers| {
        headers.insert("traceparent", HeaderValue::from_static(PARENT));
    })
}

#[tokio::test]
async fn for_every_endpoint_the_client_counts_what_the_service_saw() {
    for endpoint in endpoint::ALL {
        let tally = Tally::new();
        let loopback = Loopback::start_with(|builder| {
            builder
                .recorder(tally.recorder())
                .injector(one_trace())
                .max_attempts(4)
                .max_retry_after(Duration::from_secs(120))
                .max_pages(5)
        });

        let called = call(&loopback.client, endpoint).await;

        let waits = loopback.clock.sleeps().len() as f64;
        let ledger = loopback.stop().await;
        let template = endpoint.template();
        let seen = ledger.routes[template];
        let expected = match endpoint {
            endpoint::ITEMS => 2,
            endpoint::LOOPING_ITEMS | endpoint::FLAKY => 3,
            endpoint::RETRY_LATER => 4,
            endpoint::ENDLESS_ITEMS => 5,
            _ => 1,
        };
        let counts = [ledger.total, seen.requests, seen.responses];
        assert_eq!(counts, [expected; 3], "{template}: {ledger:#?}");
        assert_eq!(seen.early, 0, "{template}: {ledger:#?}");
        let counted = tally.read();
        let of_endpoint = ("endpoint", endpoint.name());
        for (metric, label, expected) in [
            ("client_attempts_total", of_endpoint, expected as f64),
            (
                "http_client_request_duration_seconds",
                ("url_template", template),
                expected as f64,
            ),
            ("client_retries_total", of_endpoint, waits),
            ("client_retry_wait_seconds", of_endpoint, waits),
        ] {
            let counted = sum(&counted, metric, &[label]);
            assert_eq!(counted, expected, "{metric}, {template}: {ledger:#?}");
        }
        // An error of the contract speaks of the last page alone, or of none.
        if let Some(error) = called
            .err()
            .filter(|error| !matches!(error, ApiError::Contract(_)))
        {
            assert_eq!(u64::from(error.attempts()), expected, "{ledger:#?}");
        }
    }
}

#[tokio::test]
async fn a_request_that_came_early_would_have_been_seen() {
    let loopback = Loopback::start_with(|builder| builder.injector(one_trace()));

    for _ in 0..2 {
        drop(loopback.client.retry_later().await);
        loopback.clock.advance(Duration::from_secs(1));
    }

    let ledger = loopback.stop().await;
    let early: Vec<_> = ledger.entries.iter().map(|entry| entry.early).collect();
    let by = Some(Duration::from_secs(119));
    assert_eq!(early, [None, by], "{ledger:#?}");
}

#[tokio::test]
async fn the_operation_of_a_page_that_repeats_a_cursor_ends_with_the_error() {
    let (spans, _watch) = Spans::watch();
    let loopback = Loopback::start();

    let _ = call(&loopback.client, endpoint::LOOPING_ITEMS).await;

    loopback.stop().await;
    let outcomes = spans.values("reliable_api_client.outcome");
    assert_eq!(outcomes, ["ok", "ok", "contract_error"]);
    let attempts = spans.values("reliable_api_client.attempts");
    assert_eq!(attempts, ["1", "1", "1"]);
    assert_eq!(spans.values("error.type"), ["contract"]);
    assert_eq!(spans.values("otel.status_code"), ["ERROR"]);
}
