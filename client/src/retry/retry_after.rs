//! The `Retry-After` header: seconds or an HTTP date (RFC 9110 §10.2.3).
//!
//! A wrong reading usually leads to a retry that is too early. So two cases are
//! distinguished: an *unusable* value, for which the local backoff applies, and an
//! *enormous* value, which is valid and above any limit.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, header::RETRY_AFTER};

/// The wait in a server's `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetryAfter {
    /// Wait this long before the next request. A number too long to represent is
    /// [`Duration::MAX`].
    Wait(Duration),
    /// A date in the past. It asks for no wait, like a zero; it is a separate variant
    /// so that traces show the difference.
    PastDate,
    /// The header is present but unusable: negative, signed, fractional, empty, not
    /// ASCII digits, or an invalid date.
    Unusable,
}

impl RetryAfter {
    /// Reads the header of a response; `None` when there is none.
    ///
    /// If there are several header lines, the first one counts. `now` is the time that
    /// a date is compared with.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap, now: SystemTime) -> Option<Self> {
        headers
            .get(RETRY_AFTER)
            .map(|value| Self::parse(value.as_bytes(), now))
    }

    /// Reads one field value. It accepts any bytes and never panics.
    ///
    /// A date is one that [`httpdate`] reads, in any of the three formats: a year of two
    /// digits is one from 1970 to 2069, and a leap second is invalid. `now` is the time
    /// that a date is compared with.
    #[must_use]
    pub fn parse(value: &[u8], now: SystemTime) -> Self {
        let value = trim_optional_whitespace(value);
        if let Some(wait) = seconds(value) {
            return Self::Wait(wait);
        }
        match date(value).map(|until| until.duration_since(now)) {
            Some(Ok(wait)) if !wait.is_zero() => Self::Wait(wait),
            Some(_) => Self::PastDate,
            None => Self::Unusable,
        }
    }

    /// The wait, if the value is usable.
    #[must_use]
    pub fn wait(self) -> Option<Duration> {
        match self {
            Self::Wait(wait) => Some(wait),
            Self::PastDate => Some(Duration::ZERO),
            Self::Unusable => None,
        }
    }
}

/// `delay-seconds = 1*DIGIT`, of any length. `str::parse` is unsuitable: it accepts
/// `+1`, and it rejects a number that is too large.
fn seconds(value: &[u8]) -> Option<Duration> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let seconds = value.iter().try_fold(0_u64, |sum, digit| {
        sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    Some(seconds.map_or(Duration::MAX, Duration::from_secs))
}

/// `HTTP-date` (RFC 9110 §5.6.7).
fn date(value: &[u8]) -> Option<SystemTime> {
    httpdate::parse_http_date(str::from_utf8(value).ok()?).ok()
}

/// `OWS = *( SP / HTAB )` around a field value (RFC 9110 §5.6.3).
fn trim_optional_whitespace(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_past_date_asks_for_no_wait_and_is_not_a_zero() {
        let past = RetryAfter::parse(b"Thu, 01 Jan 1970 00:00:00 GMT", SystemTime::UNIX_EPOCH);
        let zero = RetryAfter::parse(b"0", SystemTime::UNIX_EPOCH);

        assert_eq!(past, RetryAfter::PastDate);
        assert_eq!(past.wait(), Some(Duration::ZERO));
        assert_eq!(zero, RetryAfter::Wait(Duration::ZERO));
    }

    #[test]
    fn the_first_of_several_lines_counts() {
        let mut headers = HeaderMap::new();
        headers.append(RETRY_AFTER, "5".parse().expect("a header value"));
        headers.append(RETRY_AFTER, "1".parse().expect("a header value"));

        let read = RetryAfter::from_headers(&headers, SystemTime::UNIX_EPOCH);

        assert_eq!(read, Some(RetryAfter::Wait(Duration::from_secs(5))));
    }

    proptest! {
        #[test]
        fn digits_are_never_read_as_less_than_they_say(number: u128) {
            let read = RetryAfter::parse(number.to_string().as_bytes(), SystemTime::UNIX_EPOCH);

            let least = u64::try_from(number).map_or(Duration::MAX, Duration::from_secs);
            prop_assert_eq!(read, RetryAfter::Wait(least));
        }

        #[test]
        fn a_date_is_never_waited_for_less_than_it_says(date in 0_u32.., now in 0_u32.., nanos in 0..1_000_000_000_u32) {
            let date = SystemTime::UNIX_EPOCH + Duration::from_secs(date.into());
            let now = SystemTime::UNIX_EPOCH + Duration::new(now.into(), nanos);

            let read = RetryAfter::parse(httpdate::fmt_http_date(date).as_bytes(), now);

            let wait = read.wait().expect("a formatted date is a valid value");
            prop_assert!(now + wait >= date);
        }
    }
}
