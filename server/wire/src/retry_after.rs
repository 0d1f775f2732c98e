//! The `Retry-After` of a response: what it asks for, and how much too early a request came.
//!
//! A service writes seconds on purpose; a route that somebody adds may write anything. A
//! date is one that `httpdate` reads: a leap second and the year 1 are not.

use std::fmt;
use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;
use serde::Serialize;

use crate::header_lines::lines;
use crate::nanoseconds;

/// The Retry-After of a response (RFC 9110 §10.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RetryAfter {
    /// How it was written.
    pub form: RetryAfterForm,
    /// How long it asks the client to wait, counted from the head of the response.
    #[serde(rename = "wait_ns", with = "nanoseconds")]
    wait: Duration,
    /// The value of an unusable one on purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<UnusableValue>,
}

/// How a Retry-After was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryAfterForm {
    /// A number of seconds.
    Seconds,
    /// A future date.
    Date,
    /// A date that had come already. It asks for no wait.
    PastDate,
    /// Neither a number of seconds nor a date. It asks for nothing.
    Unusable,
}

/// Names the unusable Retry-After of a response on purpose, in its extensions and in the record.
/// The value must come from a closed set: that of another service may be anything, and is not
/// kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct UnusableValue(pub &'static str);

impl RetryAfter {
    /// A date that had come already.
    pub const PAST_DATE: Self = Self {
        form: RetryAfterForm::PastDate,
        wait: Duration::ZERO,
        value: None,
    };

    /// Neither a number of seconds nor a date.
    pub const UNUSABLE: Self = Self {
        form: RetryAfterForm::Unusable,
        wait: Duration::ZERO,
        value: None,
    };

    /// An unusable value on purpose.
    #[must_use]
    pub const fn unusable(value: UnusableValue) -> Self {
        Self {
            value: Some(value),
            ..Self::UNUSABLE
        }
    }

    /// A number of seconds.
    #[must_use]
    pub const fn seconds(wait: Duration) -> Self {
        Self {
            form: RetryAfterForm::Seconds,
            wait,
            value: None,
        }
    }

    /// A date that lies so far ahead of the head of the response.
    #[must_use]
    pub const fn date(wait: Duration) -> Self {
        Self {
            form: RetryAfterForm::Date,
            wait,
            value: None,
        }
    }

    /// The first header line, at a moment of the wall clock, which is read only for a date;
    /// none without the header. Digits that do not fit are the longest wait.
    #[must_use]
    pub fn of(headers: &HeaderMap, now: impl FnOnce() -> SystemTime) -> Option<Self> {
        let value = lines(headers, &RETRY_AFTER).next()?.to_str();
        Some(value.map_or(Self::UNUSABLE, |value| Self::read(value, now)))
    }

    fn read(value: &str, now: impl FnOnce() -> SystemTime) -> Self {
        // White space around a value does not belong to it (RFC 9110 §5.5).
        let value = value.trim_matches([' ', '\t']);
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::seconds(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
        }
        match httpdate::parse_http_date(value).map(|date| date.duration_since(now())) {
            Ok(Ok(wait)) if !wait.is_zero() => Self::date(wait),
            Ok(_) => Self::PAST_DATE,
            Err(_) => Self::UNUSABLE,
        }
    }

    /// How long it asks the client to wait, counted from the head of the response.
    #[must_use]
    pub const fn wait(self) -> Duration {
        self.wait
    }

    /// By how much a request came too early that came so long after the head of the
    /// response; zero if it did not.
    #[must_use]
    pub const fn early_by(self, waited: Duration) -> Duration {
        self.wait.saturating_sub(waited)
    }

    /// Whether it says anything about the time to come back.
    #[must_use]
    pub fn is_usable(self) -> bool {
        self.form != RetryAfterForm::Unusable
    }

    /// The value of an unusable one on purpose.
    #[must_use]
    pub const fn unusable_value(self) -> Option<UnusableValue> {
        self.value
    }
}

impl fmt::Display for RetryAfter {
    /// Whole seconds, rounded up: a client that waits for so long is not early. An unusable
    /// value on purpose is shown as it was sent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self
            .wait
            .as_secs()
            .saturating_add(u64::from(self.wait.subsec_nanos() > 0));
        match (self.form, self.value) {
            (RetryAfterForm::Seconds | RetryAfterForm::Date, _) => write!(f, "{seconds} s"),
            (RetryAfterForm::PastDate, _) => f.write_str("a past date"),
            (RetryAfterForm::Unusable, Some(value)) => f.write_str(value.0),
            (RetryAfterForm::Unusable, None) => f.write_str("unusable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::header::RETRY_AFTER;
    use http::{HeaderMap, HeaderValue};
    use proptest::{
        prelude::*,
        sample::{Index, select},
    };

    use super::{
        RetryAfter,
        RetryAfterForm::{Date, PastDate, Seconds, Unusable},
        UnusableValue,
    };

    #[test]
    fn each_form_is_told_from_the_others() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_776);
        let seconds = |seconds| RetryAfter::seconds(Duration::from_secs(seconds));
        let table: [(&[u8], _); 12] = [
            (b"0", seconds(0)),
            (b"120", seconds(120)),
            (b" 7\t", seconds(7)),
            (b"99999999999999999999", seconds(u64::MAX)),
            (
                b"Sun, 06 Nov 1994 08:49:37 GMT",
                RetryAfter::date(Duration::from_secs(1)),
            ),
            (b"Sun, 06 Nov 1994 08:49:36 GMT", RetryAfter::PAST_DATE),
            (b"Sun, 06 Nov 1994 08:49:35 GMT", RetryAfter::PAST_DATE),
            (b"", RetryAfter::UNUSABLE),
            (b"-1", RetryAfter::UNUSABLE),
            (b"1.5", RetryAfter::UNUSABLE),
            (b"soon", RetryAfter::UNUSABLE),
            (b"\xff", RetryAfter::UNUSABLE),
        ];

        for (value, expected) in table {
            let value = HeaderValue::from_bytes(value).unwrap();
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.clone())]);

            let read = RetryAfter::of(&headers, || now);
            assert_eq!(read, Some(expected), "{value:?}");
        }
        assert_eq!(RetryAfter::of(&HeaderMap::new(), || now), None);
    }

    #[test]
    fn only_an_unusable_value_on_purpose_is_kept() {
        let on_purpose = RetryAfter::unusable(UnusableValue("-1"));
        for (retry_after, shown, json) in [
            (
                on_purpose,
                "-1",
                r#"{"form":"unusable","wait_ns":0,"value":"-1"}"#,
            ),
            (
                RetryAfter::UNUSABLE,
                "unusable",
                r#"{"form":"unusable","wait_ns":0}"#,
            ),
        ] {
            assert_eq!(retry_after.to_string(), shown);
            assert_eq!(serde_json::to_string(&retry_after).unwrap(), json);
        }
    }

    #[test]
    fn a_wait_is_shown_in_whole_seconds_and_never_too_short() {
        for (millis, shown) in [(0, "0 s"), (1, "1 s"), (1_000, "1 s"), (1_001, "2 s")] {
            let date = RetryAfter::date(Duration::from_millis(millis));
            assert_eq!(date.to_string(), shown);
        }
    }

    const PIECES: [&str; 10] = ["", " ", "\t", "-", "+", ".5", "9", "\u{664}", "GMT", "\0"];

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
            (value, cut, piece) in (any_value(), any::<Index>(), select(&PIECES[..])),
            now in 0_u64..253_402_300_800, nanos in 0_u32..1_000_000_000,
        ) {
            let (before, after) = value.split_at(cut.index(value.len() + 1));
            let value = [before, piece, after].concat();
            let now = SystemTime::UNIX_EPOCH + Duration::new(now, nanos);
            let trimmed = value.trim_matches([' ', '\t']);
            let digits = !trimmed.is_empty() && trimmed.chars().all(|sign| sign.is_ascii_digit());

            let read = RetryAfter::read(&value, || now);

            prop_assert_eq!(read.form == Seconds, digits);
            match (read.form, httpdate::parse_http_date(trimmed)) {
                (Date, date) => prop_assert_eq!(Ok(now + read.wait()), date.map_err(drop)),
                (PastDate, date) => prop_assert!(date.is_ok_and(|date| date <= now)),
                (Unusable, date) => prop_assert!(date.is_err()),
                (Seconds, _) => {
                    let number = trimmed.parse().map_or(Duration::MAX, Duration::from_secs);
                    prop_assert!(read.wait() == number || number == Duration::MAX);
                }
            }
        }
    }
}
