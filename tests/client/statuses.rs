//! The decisions that follow from a status alone.

use client::{
    Endpoint, StopReason,
    teaching::{Builder, endpoint},
};
use http::StatusCode;
use serde_json::json as value;
use tests::{Bench, Loopback, Script, http_error, json, status};

#[tokio::test]
async fn a_permanent_status_ends_the_call_at_once_and_keeps_its_problem() {
    let problem = value!({ "code": "some_code", "request_id": "request-1" });
    // A body that would be a success.
    let other = value!({ "items": [], "next_cursor": null, "attempt": 3 });
    let rows: Vec<_> = [400, 401, 403, 404, 409, 422, 405, 410, 501, 505]
        .into_iter()
        .flat_map(|code| {
            // Nobody asked for this wait.
            let other = json(code, &other).header("retry-after", "1");
            let other = other.header("x-request-id", "request-2");
            [
                (
                    code,
                    json(code, &problem),
                    Some("some_code"),
                    Some("request-1"),
                ),
                (code, other, None, Some("request-2")),
                (code, status(code), None, None),
            ]
        })
        .collect();
    let replies = rows.iter().map(|(_, reply, ..)| reply.clone());
    let bench = Bench::new(Script::of(replies)).await;
    for (code, _, problem_code, request_id) in &rows {
        let error = http_error(bench.client.flaky().await);

        assert_eq!(error.status, *code, "{error}");
        assert_eq!(error.code(), *problem_code, "{error}");
        assert_eq!(error.request_id(), *request_id, "{error}");
        assert_eq!((error.attempts, error.stopped), (1, None), "{error}");
    }
    assert_eq!(bench.sent().await.len(), rows.len(), "one request each");
    assert!(bench.clock.sleeps().is_empty(), "{bench:?}");
    drop(bench);

    let loopback = Loopback::start();
    let nowhere = Endpoint::new("nowhere", "/nowhere");
    let error = http_error(loopback.client.get(nowhere).send().await);
    let ledger = loopback.stop().await;
    let request_id = &*ledger.entries[0].request_id;
    assert_eq!(error.status, StatusCode::NOT_FOUND);
    assert_eq!(error.code(), Some("not_found"));
    assert_eq!(error.request_id(), Some(request_id), "{error}");
    assert_eq!(ledger.total, 1, "{ledger:#?}");

    // The service accepts a limit of 100 at most.
    let loopback = Loopback::start_with(|builder| builder.page_size(101));
    let page = loopback.client.items().pages().next_page().await;
    let error = http_error(page.expect("a page or an error"));
    assert_eq!(error.code(), Some("invalid_limit"));
    assert_eq!(error.field(), Some("query.limit"), "{error}");
    assert_eq!(loopback.stop().await.total, 1);
}

#[tokio::test]
async fn a_passing_status_is_retried_until_the_attempts_run_out() {
    const PASSING: [u16; 5] = [429, 500, 502, 503, 504];
    let pairs = || {
        PASSING
            .into_iter()
            .flat_map(|first| PASSING.map(|last| (first, last)))
    };
    for max_attempts in 1..=4 {
        let replies = pairs().flat_map(|(first, last)| {
            let failures = std::iter::repeat_n(first, max_attempts - 1);
            failures.chain([last]).map(status)
        });
        let unbounded =
            |builder: Builder| builder.max_attempts(max_attempts as u32).retry_budget(None);
        let bench = Bench::with(Script::of(replies), unbounded).await;
        for (first, last) in pairs() {
            let error = http_error(bench.client.flaky().await);

            assert_eq!(error.status, last, "the last status counts: {error}");
            assert_eq!(error.attempts as usize, max_attempts, "{first}: {error}");
            assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
        }
        let sent = bench.lines().await;
        assert_eq!(sent, vec!["GET /flaky"; 25 * max_attempts]);
    }
}

#[tokio::test]
async fn a_redirect_is_handed_over_and_not_followed() {
    let loopback = Loopback::start();

    let redirect = loopback.client.redirect().await.expect("a redirect");
    let elsewhere = loopback.client.get(endpoint::REDIRECT).send().await;

    assert_eq!(redirect.status, StatusCode::FOUND);
    assert_eq!(redirect.location.as_deref(), Some("/items"));
    assert_eq!(http_error(elsewhere).status, StatusCode::FOUND);
    let ledger = loopback.stop().await;
    let routes: Vec<_> = ledger.entries.iter().map(|entry| &*entry.route).collect();
    assert_eq!(routes, ["/redirect", "/redirect"], "{ledger:#?}");

    for code in [300, 301, 303, 307, 308] {
        let bench = Bench::new(Script::of([status(code)])).await;

        let redirect = bench.client.redirect().await.expect("any redirection");

        assert_eq!((redirect.status.as_u16(), redirect.location), (code, None));
    }
}
