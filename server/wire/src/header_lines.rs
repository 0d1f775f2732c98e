//! Reads the lines of a header.

use http::{HeaderMap, HeaderName, HeaderValue};

/// All lines of a header, in order. A message has few headers: to walk over them takes
/// less time than to hash the name of one that is mostly not there.
pub fn lines<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = &'a HeaderValue> {
    let lines = headers.iter();
    lines.filter_map(move |(known, line)| (known == name).then_some(line))
}

/// The value of a header that must stand there exactly once, unless it is absent or has
/// several lines: those would name two values, or one that only looks like a list.
pub fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut lines = lines(headers, name);
    lines.next().filter(|_| lines.next().is_none())
}
