//! The client counts the requests that the service saw, and never comes early.

use std::{sync::Arc, time::Duration};

use client::{ApiError, RetryReport, teaching::endpoint, telemetry::Injector};
use http::HeaderValue;
use tests::{Loopback, Spans, Tally, call, story, sum};

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
        let counted = tally.read();
        let (template, story) = (endpoint.template(), story(&ledger));
        let by_name = [("endpoint", endpoint.name())];
        let seen = ledger.routes[template];
        assert_eq!(ledger.total, seen.requests, "{template}: {story}");
        assert_eq!(seen.responses, seen.requests, "{template}: {story}");
        assert_eq!(seen.early, 0, "{template}: {story}");
        let requests = seen.requests as f64;
        let attempts = sum(&counted, "client_attempts_total", &by_name);
        assert_eq!(attempts, requests, "{template}: {story}");
        let by_template = [("url_template", template)];
        let measured = sum(
            &counted,
            "http_client_request_duration_seconds",
            &by_template,
        );
        assert_eq!(measured, requests, "{template}: {story}");
        let retries = sum(&counted, "client_retries_total", &by_name);
        let waited = sum(&counted, "client_retry_wait_seconds", &by_name);
        assert_eq!((retries, waited), (waits, waits), "{template}: {story}");
        // An error of the contract speaks of the last page alone, or of none.
        if let Some(error) = called
            .err()
            .filter(|it| !matches!(it, ApiError::Contract(_)))
        {
            assert_eq!(u64::from(error.attempts()), seen.requests, "{story}");
        }
        let expected = match endpoint {
            endpoint::ITEMS => 2,
            endpoint::LOOPING_ITEMS | endpoint::FLAKY => 3,
            endpoint::RETRY_LATER => 4,
            endpoint::ENDLESS_ITEMS => 5,
            _ => 1,
        };
        assert_eq!(seen.requests, expected, "{template}: {story}");
    }
}

#[tokio::test]
async fn a_wait_of_two_minutes_is_kept_to_the_second() {
    let loopback = Loopback::start_with(|builder| {
        builder
            .injector(one_trace())
            .max_retry_after(Duration::from_secs(120))
    });

    let error = loopback.client.retry_later().await;

    let ledger = loopback.stop().await;
    assert_eq!(error.expect_err("it never succeeds").attempts(), 3);
    let arrivals: Vec<_> = ledger.entries.iter().map(|entry| entry.arrived).collect();
    assert_eq!(arrivals, [0, 120, 240].map(Duration::from_secs));
    assert!(ledger.entries.iter().all(|entry| entry.early.is_none()));
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
    assert_eq!(
        early,
        [None, Some(Duration::from_secs(119))],
        "{}",
        story(&ledger)
    );
}

#[tokio::test]
async fn the_report_of_a_request_counts_what_the_service_saw() {
    let loopback = Loopback::start();
    let url = format!("{}/flaky", loopback.service.base_url());

    let response = loopback.client.http().get(url).send().await;

    let response = response.expect("a response");
    let report = response.extensions().get::<RetryReport>().copied();
    let report = report.expect("every response carries a report");
    let ledger = loopback.stop().await;
    assert_eq!(
        u64::from(report.attempts),
        ledger.total,
        "{}",
        story(&ledger)
    );
    assert_eq!((report.attempts, report.stopped), (3, None));
}

#[tokio::test]
async fn the_operation_of_a_page_that_repeats_a_cursor_ends_with_the_error() {
    let (spans, _watch) = Spans::watch();
    let loopback = Loopback::start();

    let _ = call(&loopback.client, endpoint::LOOPING_ITEMS).await;

    loopback.stop().await;
    let endings: Vec<_> = spans
        .records()
        .into_iter()
        .filter(|span| (span.target, span.name) == (client::telemetry::TARGET, "operation"))
        .map(|span| {
            [
                "reliable_api_client.outcome",
                "reliable_api_client.attempts",
                "error.type",
                "otel.status_code",
            ]
            .map(|field| span.fields.get(field).cloned().unwrap_or_default())
        })
        .collect();
    let ok = ["ok", "1", "", ""].map(str::to_owned);
    let looped = ["contract_error", "1", "contract", "ERROR"].map(str::to_owned);
    assert_eq!(endings, [ok.clone(), ok, looped]);
}
