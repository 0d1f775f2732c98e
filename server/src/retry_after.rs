//! Reads the `Retry-After` of a response that is about to go out, for the ledger.
//!
//! The service's own faults write seconds; routes that a lab adds may write anything. A
//! date is one that `httpdate` reads: a leap second and the year 1 are not.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;

use crate::header_lines::lines;

/// The `Retry-After` of a response, by its form (RFC 9110 §10.2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// A number of seconds. Digits that do not fit are the longest wait, and never none.
    Seconds(Duration),
    /// A date to come: the wait from the head of the response until then.
    Date(Duration),
    /// A date that had come already. It asks for no wait.
    PastDate,
    /// Neither a number of seconds nor a date. It asks for nothing.
    Unusable,
}

impl RetryAfter {
    /// How long it asks the client to wait, counted from the head of the response; none
    /// if it is unusable.
    #[must_use]
    pub fn wait(self) -> Option<Duration> {
        match self {
            Self::Seconds(wait) | Self::Date(wait) => Some(wait),
            Self::PastDate => Some(Duration::ZERO),
            Self::Unusable => None,
        }
    }

    /// The first header line, at a moment of the wall clock; none without the header.
    pub(crate) fn of(headers: &HeaderMap, now: SystemTime) -> Option<Self> {
        let value = lines(headers, &RETRY_AFTER).next()?.to_str();
        Some(value.map_or(Self::Unusable, |value| Self::read(value, now)))
    }

    fn read(value: &str, now: SystemTime) -> Self {
        // White space around a value is no part of it (RFC 9110 §5.5).
        let value = value.trim_matches([' ', '\t']);
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::Seconds(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
        }
        match httpdate::parse_http_date(value).map(|date| date.duration_since(now)) {
            Ok(Ok(wait)) if !wait.is_zero() => Self::Date(wait),
            Ok(_) => Self::PastDate,
            Err(_) => Self::Unusable,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::header::RETRY_AFTER;
    use http::{HeaderMap, HeaderValue};
    use proptest::prelude::*;

    use super::RetryAfter::{self, Date, PastDate, Seconds, Unusable};
    use crate::testing::nearly;

    #[test]
    fn each_form_is_told_from_the_others() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_776);
        let seconds = |seconds| Seconds(Duration::from_secs(seconds));
        let table: [(&[u8], _); 12] = [
            (b"0", seconds(0)),
            (b"120", seconds(120)),
            (b" 7\t", seconds(7)),
            (b"99999999999999999999", seconds(u64::MAX)),
            (
                b"Sun, 06 Nov 1994 08:49:37 GMT",
                Date(Duration::from_secs(1)),
            ),
            (b"Sun, 06 Nov 1994 08:49:36 GMT", PastDate),
            (b"Sun, 06 Nov 1994 08:49:35 GMT", PastDate),
            (b"", Unusable),
            (b"-1", Unusable),
            (b"1.5", Unusable),
            (b"soon", Unusable),
            (b"\xff", Unusable),
        ];

        for (value, expected) in table {
            let value = HeaderValue::from_bytes(value).unwrap();
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.clone())]);

            assert_eq!(RetryAfter::of(&headers, now), Some(expected), "{value:?}");
        }
        assert_eq!(RetryAfter::of(&HeaderMap::new(), now), None);
    }

    #[test]
    fn only_an_unusable_one_asks_for_nothing() {
        let second = Duration::from_secs(1);

        assert_eq!(Seconds(second).wait(), Some(second));
        assert_eq!(Date(second).wait(), Some(second));
        assert_eq!(PastDate.wait(), Some(Duration::ZERO));
        assert_eq!(Unusable.wait(), None);
    }

    fn any_value() -> impl Strategy<Value = String> {
        let date = (0_u64..253_402_300_800).prop_map(|date| {
            httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(date))
        });
        prop_oneof![
            "[0-9]{1,25}",
            "Sun Nov  6 08:49:37 1994",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            date
        ]
    }

    proptest! {
        /// Digits and nothing else are seconds, and a date asks for the wait until then.
        #[test]
        fn any_value_has_the_form_that_it_seems_to_have(
            value in nearly(any_value(), &["", " ", "\t", "-", "+", ".5", "9", "\u{664}", "GMT", "\0"]),
            now in 0_u64..253_402_300_800, nanos in 0_u32..1_000_000_000,
        ) {
            let now = SystemTime::UNIX_EPOCH + Duration::new(now, nanos);
            let trimmed = value.trim_matches([' ', '\t']);
            let digits = !trimmed.is_empty() && trimmed.chars().all(|sign| sign.is_ascii_digit());

            let read = RetryAfter::read(&value, now);

            prop_assert_eq!(matches!(read, Seconds(_)), digits);
            match (read, httpdate::parse_http_date(trimmed)) {
                (Date(wait), date) => prop_assert_eq!(Ok(now + wait), date.map_err(drop)),
                (PastDate, date) => prop_assert!(date.is_ok_and(|date| date <= now)),
                (Unusable, date) => prop_assert!(date.is_err()),
                (Seconds(wait), _) => {
                    let number = trimmed.parse().map_or(Duration::MAX, Duration::from_secs);
                    prop_assert!(wait == number || number == Duration::MAX);
                }
            }
        }
    }
}
