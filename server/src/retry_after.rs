//! Reads the `Retry-After` of an answer that is about to go out, for the ledger.
//!
//! The service's own faults write seconds; routes that a lab adds may write a date.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;

/// How long the answer asks its reader to wait (RFC 9110 §10.2.3); none if it does
/// not say, or not validly.
pub(crate) fn wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // Digits that do not fit still mean "very long", and never "no wait".
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::HeaderMap;
    use http::header::RETRY_AFTER;

    use super::wait;

    #[test]
    fn reads_seconds_and_dates() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_776);
        let table = [
            ("0", Some(Duration::ZERO)),
            ("120", Some(Duration::from_secs(120))),
            ("99999999999999999999", Some(Duration::from_secs(u64::MAX))),
            (
                "Sun, 06 Nov 1994 08:49:37 GMT",
                Some(Duration::from_secs(1)),
            ),
            ("Sun, 06 Nov 1994 08:49:35 GMT", Some(Duration::ZERO)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
        ];

        for (value, expected) in table {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);

            assert_eq!(wait(&headers, now), expected, "{value:?}");
        }
    }
}
