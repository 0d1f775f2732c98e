//! The value of a request header, as the record keeps it: bounded, and safe to print.
//!
//! Only headers that carry no secret are recorded in this way.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;

use crate::header_lines::lines;

/// The longest value that is kept, in bytes.
pub const MAX_RECORDED_HEADER: usize = 256;

/// A header of a request that carries no secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedHeader {
    // At most MAX_RECORDED_HEADER bytes of visible ASCII and spaces. Several lines are
    // joined by a comma and a space (RFC 9110 §5.3).
    /// Its value.
    Value(Cow<'static, str>),
    /// It was too long, or held bytes that are no visible ASCII.
    Unusable,
}

impl RecordedHeader {
    /// The value, if it can be used.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unusable => None,
        }
    }

    /// All lines of a header; none without the header.
    #[must_use]
    pub fn of(headers: &HeaderMap, name: &HeaderName) -> Option<Self> {
        let mut lines = lines(headers, name).peekable();
        lines.peek()?;
        Some(joined(lines).map_or(Self::Unusable, Self::Value))
    }
}

/// All lines of a header as one value, if it can be used.
fn joined<'a>(lines: impl Iterator<Item = &'a HeaderValue>) -> Option<Cow<'static, str>> {
    let mut lines = lines.map(HeaderValue::to_str);
    let mut value = match lines.next()?.ok()? {
        // The values that most clients send need no memory of their own.
        "*/*" => Cow::Borrowed("*/*"),
        "application/json" => Cow::Borrowed("application/json"),
        other => Cow::Owned(other.to_owned()),
    };
    for line in lines {
        value = Cow::Owned(format!("{value}, {}", line.ok()?));
    }
    let is_usable = value.len() <= MAX_RECORDED_HEADER && !value.contains('\t');
    is_usable.then_some(value)
}

#[cfg(test)]
mod tests {
    use http::header::ACCEPT;
    use http::{HeaderMap, HeaderValue};

    use super::{MAX_RECORDED_HEADER, RecordedHeader};

    #[test]
    fn a_value_is_kept_as_it_came_unless_it_is_long_or_not_ascii() {
        let [longest, long] = [0, 1].map(|more| "x".repeat(MAX_RECORDED_HEADER + more));
        let half = &longest.as_bytes()[..MAX_RECORDED_HEADER / 2];
        let table: [(&[&[u8]], Option<&str>); 10] = [
            (&[b""], Some("")),
            (&[b"*/*"], Some("*/*")),
            (&[b"text/html; q=0.5, */*"], Some("text/html; q=0.5, */*")),
            (&[longest.as_bytes()], Some(&longest)),
            (&[b"text/html", b"*/*"], Some("text/html, */*")),
            (&[long.as_bytes()], None),
            (&[half, half], None),
            (&[b"caf\xc3\xa9"], None),
            (&[b"a\tb"], None),
            (&[b"*/*", b"\xff"], None),
        ];

        for (lines, value) in table {
            let values = lines
                .iter()
                .map(|line| HeaderValue::from_bytes(line).unwrap());
            let headers = values.map(|value| (ACCEPT, value)).collect();
            let recorded = RecordedHeader::of(&headers, &ACCEPT).unwrap();

            assert_eq!(recorded.value(), value, "{lines:?}");
        }
        assert_eq!(RecordedHeader::of(&HeaderMap::new(), &ACCEPT), None);
    }
}
