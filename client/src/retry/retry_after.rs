//! The `Retry-After` header: seconds or an HTTP date (RFC 9110 §10.2.3).
//!
//! Reading it wrongly is the usual way to retry too early. Two mistakes are
//! kept apart here: a value that is *unusable* (it falls back to the local
//! backoff) and a value that is merely *enormous* (it is valid, and above any
//! budget).

use std::time::{Duration, SystemTime};

use http::{HeaderMap, header::RETRY_AFTER};

/// What a server's `Retry-After` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// Wait this long before the next request. A date in the past asks for no
    /// wait at all. A number too long to represent is [`Duration::MAX`].
    Wait(Duration),
    /// The header is there, but says nothing that can be followed: negative,
    /// signed, fractional, empty, not ASCII digits, or no date.
    Unusable,
}

impl RetryAfter {
    /// Reads the header of an answer; `None` when there is none.
    ///
    /// Of several header lines the first one counts. `now` is the time of day
    /// that a date is compared with.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap, now: SystemTime) -> Option<Self> {
        headers
            .get(RETRY_AFTER)
            .map(|value| Self::parse(value.as_bytes(), now))
    }

    /// Reads one field value. Any bytes are welcome; none of them panics.
    #[must_use]
    pub fn parse(value: &[u8], now: SystemTime) -> Self {
        let value = trim_optional_whitespace(value);
        seconds(value)
            .or_else(|| date(value, now))
            .map_or(Self::Unusable, Self::Wait)
    }

    /// The wait asked for, if the value can be followed.
    #[must_use]
    pub fn wait(self) -> Option<Duration> {
        match self {
            Self::Wait(wait) => Some(wait),
            Self::Unusable => None,
        }
    }
}

/// `delay-seconds = 1*DIGIT`, of any length. `str::parse` would not do: it takes
/// `+1`, and it answers "no number" where the truth is "a very large one".
fn seconds(value: &[u8]) -> Option<Duration> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let seconds = value.iter().try_fold(0_u64, |sum, digit| {
        sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    Some(seconds.map_or(Duration::MAX, Duration::from_secs))
}

/// `HTTP-date` in any of its three formats (RFC 9110 §5.6.7).
fn date(value: &[u8], now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(std::str::from_utf8(value).ok()?).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
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

    /// 1994-11-06 08:49:37 GMT, the date RFC 9110 itself uses as its example.
    const RFC_DATE: Duration = Duration::from_secs(784_111_777);

    fn parse(value: &str) -> RetryAfter {
        let one_minute_earlier = SystemTime::UNIX_EPOCH + RFC_DATE - Duration::from_secs(60);
        RetryAfter::parse(value.as_bytes(), one_minute_earlier)
    }

    #[test]
    fn reads_every_valid_form() {
        let second = Duration::from_secs;
        for (value, wait) in [
            ("0", Duration::ZERO),
            ("120", second(120)),
            ("00120", second(120)),
            (" \t7\t ", second(7)),
            ("18446744073709551615", second(u64::MAX)),
            ("18446744073709551616", Duration::MAX),
            (&"9".repeat(400), Duration::MAX),
            ("Sun, 06 Nov 1994 08:49:37 GMT", second(60)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", second(60)),
            ("Sun Nov  6 08:49:37 1994", second(60)),
            ("Sat, 05 Nov 1994 08:49:37 GMT", Duration::ZERO),
        ] {
            assert_eq!(parse(value), RetryAfter::Wait(wait), "{value:?}");
        }
    }

    #[test]
    fn refuses_every_other_form() {
        for value in [
            "",
            " ",
            "-1",
            "+1",
            "1.5",
            "1,5",
            "0x10",
            "1 2",
            "soon",
            "١٢٠",
            "１２０",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "1994-11-06T08:49:37Z",
        ] {
            assert_eq!(parse(value), RetryAfter::Unusable, "{value:?}");
        }
    }

    #[test]
    fn of_several_lines_the_first_counts() {
        let mut headers = HeaderMap::new();
        headers.append(RETRY_AFTER, "5".parse().expect("a header value"));
        headers.append(RETRY_AFTER, "1".parse().expect("a header value"));

        let read = RetryAfter::from_headers(&headers, SystemTime::UNIX_EPOCH);

        assert_eq!(read, Some(RetryAfter::Wait(Duration::from_secs(5))));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(value: Vec<u8>, now in 0..=u64::from(u32::MAX)) {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(now);

            let read = RetryAfter::parse(&value, now);

            let digits = trim_optional_whitespace(&value);
            if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
                prop_assert_ne!(read, RetryAfter::Unusable);
            }
        }

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
