//! A client waits for as long as the service notes at least: first a line for
//! `Retry-After`, then one for `Date`.

#![cfg_attr(fuzzing, no_main)]

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use axum::{Router, body::Body, response::Response, routing::get};
use client::{RetryAfter, VirtualClock};
use fuzz::{line, serve, target};
use http::{
    HeaderMap, HeaderValue, Request,
    header::{DATE, RETRY_AFTER},
};
use runner::SharedTime;

/// A day in the years in which both read a year of two digits alike.
const NOW: Duration = Duration::from_secs(1_777_000_000);

target!(retry_after);

fn retry_after(data: &[u8]) {
    let (value, date) = line(data);
    let Ok(value) = HeaderValue::from_bytes(value) else {
        return;
    };
    let now = SystemTime::UNIX_EPOCH + NOW;
    let mut headers = HeaderMap::from_iter([(RETRY_AFTER, value.clone())]);
    let read = RetryAfter::from_headers(&headers, now).and_then(RetryAfter::wait);
    if let Ok(date) = HeaderValue::from_bytes(date) {
        headers.insert(DATE, date);
        let corrected = RetryAfter::from_headers_corrected(&headers, now);
        assert!(corrected.and_then(RetryAfter::wait) >= read);
    }

    let handler = async || {
        let response = Response::builder().status(503).header(RETRY_AFTER, value);
        response.body(Body::empty()).expect("a response")
    };
    let routes = Router::new().route("/down", get(handler));
    let request = Request::get("/down")
        .body(Body::empty())
        .expect("a request");
    let at_rest = SharedTime::new(Arc::new(VirtualClock::starting_at(now)));
    let (_, ledger) = serve(routes, |config| config.clock(at_rest), [request]);
    let noted = ledger.snapshot().entries[0].retry_after;
    let noted = noted.map(wire::RetryAfter::wait);
    assert!(noted.unwrap_or_default() <= read.unwrap_or_default());
}
