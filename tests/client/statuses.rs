//! What a status alone decides.

use std::iter;

use client::{Endpoint, StopReason, teaching::endpoint};
use http::StatusCode;
use serde_json::json as value;
use tests::{Bench, Loopback, Session, http_error, json, status, story};

#[tokio::test]
async fn a_permanent_status_ends_the_call_at_once_and_keeps_its_problem() {
    let problem = value!({ "code": "some_code", "request_id": "request-1" });
    for code in [400, 401, 403, 404, 409, 422, 405, 410, 501, 505] {
        // A body that would be a success, and a wait that nobody asked for.
        let response = value!({ "items": [], "next_cursor": null, "attempt": 3 });
        let named = Bench::new(Session::always(json(code, &problem)));
        let nameless = Bench::new(Session::always(
            json(code, &response).header("retry-after", "1"),
        ));

        let told = http_error(named.client.flaky().await);
        let untold = http_error(nameless.client.flaky().await);

        assert_eq!(told.status, code, "{told}");
        assert_eq!(told.code(), Some("some_code"), "{told}");
        assert_eq!(told.request_id(), Some("request-1"), "{told}");
        assert_eq!((untold.code(), untold.request_id()), (None, None), "{code}");
        for bench in [named, nameless] {
            assert_eq!(bench.session.sent().len(), 1, "{code}: {}", bench.session);
            assert!(bench.clock.sleeps().is_empty(), "{code}: {bench:?}");
        }
        assert_eq!((told.attempts, told.stopped), (1, None), "{told}");
    }

    let loopback = Loopback::start();
    let nowhere = Endpoint::new("nowhere", "/nowhere");
    let error = http_error(loopback.client.get(nowhere).await);
    let ledger = loopback.stop().await;
    let request_id = &*ledger.entries[0].request_id;
    assert_eq!(error.status, StatusCode::NOT_FOUND);
    assert_eq!(error.code(), Some("not_found"));
    assert_eq!(error.request_id(), Some(request_id), "{error}");
    assert_eq!(ledger.total, 1, "{}", story(&ledger));
}

#[tokio::test]
async fn a_passing_status_is_retried_until_the_attempts_run_out() {
    const PASSING: [u16; 5] = [429, 500, 502, 503, 504];
    for (code, last) in PASSING
        .iter()
        .flat_map(|code| PASSING.map(|last| (*code, last)))
    {
        for max_attempts in 1..=4 {
            let failures = iter::repeat_n(status(code), max_attempts - 1);
            let script = Session::of(failures.chain([status(last)]));
            let bench = Bench::with(script, |it| it.max_attempts(max_attempts as u32));

            let error = http_error(bench.client.flaky().await);

            assert_eq!(error.status, last, "the last status counts: {error}");
            assert_eq!(error.attempts as usize, max_attempts, "{code}: {error}");
            assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
            let sent = bench.session.sent().len();
            assert_eq!(sent, max_attempts, "{code}: {}", bench.session);
        }
    }
}

#[tokio::test]
async fn a_redirect_is_handed_over_and_not_followed() {
    let loopback = Loopback::start();

    let redirect = loopback.client.redirect().await.expect("a redirect");
    let elsewhere = loopback.client.get(endpoint::REDIRECT).await;

    assert_eq!(redirect.status, StatusCode::FOUND);
    assert_eq!(redirect.location.as_deref(), Some("/items"));
    assert_eq!(http_error(elsewhere).status, StatusCode::FOUND);
    let ledger = loopback.stop().await;
    let routes: Vec<_> = ledger.entries.iter().map(|entry| &*entry.route).collect();
    assert_eq!(routes, ["/redirect", "/redirect"], "{}", story(&ledger));

    for code in [300, 301, 303, 307, 308] {
        let bench = Bench::new(Session::of([status(code)]));

        let redirect = bench.client.redirect().await.expect("any redirection");

        assert_eq!((redirect.status.as_u16(), redirect.location), (code, None));
    }
}
