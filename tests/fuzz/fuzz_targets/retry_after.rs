//! A client waits for as long as the service notes at least: first a line for
//! `Retry-After`, then one for `Date`.

#![cfg_attr(fuzzing, no_main)]

use std::time::{Duration, SystemTime};

use client::RetryAfter;
use fuzz::{line, target};
use http::{
    HeaderMap, HeaderValue,
    header::{DATE, RETRY_AFTER},
};

/// A day in 2026.
const NOW: Duration = Duration::from_secs(1_777_000_000);

target!(retry_after);

fn retry_after(data: &[u8]) {
    let (value, date) = line(data);
    let Ok(value) = HeaderValue::from_bytes(value) else {
        return;
    };
    let now = SystemTime::UNIX_EPOCH + NOW;
    let mut headers = HeaderMap::from_iter([(RETRY_AFTER, value)]);

    let read = RetryAfter::from_headers(&headers, now).and_then(RetryAfter::wait);
    let noted = wire::RetryAfter::of(&headers, || now).map(wire::RetryAfter::wait);

    assert!(noted.unwrap_or_default() <= read.unwrap_or_default());
    if let Ok(date) = HeaderValue::from_bytes(date) {
        headers.insert(DATE, date);
        let corrected = RetryAfter::from_headers_corrected(&headers, now);
        assert!(corrected.and_then(RetryAfter::wait) >= read);
    }
}
