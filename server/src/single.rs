//! Reads a header that must stand there exactly once.

use http::header::AsHeaderName;
use http::{HeaderMap, HeaderValue};

/// The value of a header, unless it is absent or has several lines: those would name
/// two values, or one that only looks like a list.
pub(crate) fn single(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&HeaderValue> {
    let mut lines = headers.get_all(name).iter();
    lines.next().filter(|_| lines.next().is_none())
}
