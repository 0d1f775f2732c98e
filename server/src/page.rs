//! The Page: the body of every list endpoint, and the query that asks for one.

use std::borrow::Cow;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use host::query::only;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use serde::Serialize;

use crate::cursor::{self, List};
use crate::problem;
use host::{NextCursor, Problem, SeedKey};

/// No page holds more records than this, whatever `limit` says.
pub(crate) const MAX_PAGE_SIZE: u64 = 2;

/// The largest `limit` that is accepted.
pub(crate) const MAX_LIMIT: u64 = 100;

/// The `limit` that is assumed where none is given.
pub(crate) const DEFAULT_LIMIT: u64 = 50;

/// One record.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Item {
    /// Its identifier.
    id: Cow<'static, str>,
    /// Its name for people.
    name: Cow<'static, str>,
}

impl Item {
    /// A record that is known beforehand.
    pub(crate) const fn new(id: &'static str, name: &'static str) -> Self {
        Self {
            id: Cow::Borrowed(id),
            name: Cow::Borrowed(name),
        }
    }

    /// The record with this number; the first is number one.
    pub(crate) fn numbered(number: u64) -> Self {
        Self {
            id: format!("item-{number}").into(),
            name: format!("Item {number}").into(),
        }
    }
}

/// A page of records and the way to the next one.
#[derive(Debug)]
pub(crate) struct Page {
    /// The records, at most two.
    pub(crate) items: Cow<'static, [Item]>,
    /// The opaque position to go on from: `null`, and not absent, on the last page.
    pub(crate) next_cursor: Option<String>,
}

impl Page {
    /// The page as JSON.
    ///
    /// It is written by hand, since serde_json looks at each letter of a text: without this the
    /// service is below its bound of requests per second. No text here has a letter that JSON
    /// escapes: they are numbered names, and cursors in base64.
    pub(crate) fn to_json(&self) -> String {
        let mut json = String::with_capacity(160);
        json.push_str(r#"{"items":["#);
        for (position, Item { id, name }) in self.items.iter().enumerate() {
            if position > 0 {
                json.push(',');
            }
            json.extend([r#"{"id":""#, id, r#"","name":""#, name, r#""}"#]);
        }
        json.push_str(r#"],"next_cursor":"#);
        match &self.next_cursor {
            Some(cursor) => json.extend(["\"", cursor, "\"}"]),
            None => json.push_str("null}"),
        }
        json
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.to_json()));
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        let next_cursor = NextCursor(self.next_cursor);
        response.extensions_mut().insert(next_cursor);
        response
    }
}

/// The query of a list.
#[derive(Debug)]
pub(crate) struct PageQuery {
    /// The cursor as it came, after percent-decoding.
    pub(crate) cursor: Option<String>,
    /// How many records the page holds at most.
    pub(crate) size: u64,
}

impl PageQuery {
    /// The position to go on from, or zero for the start of the list.
    pub(crate) fn position(&self, key: &SeedKey, list: List) -> Result<u64, Problem> {
        match &self.cursor {
            Some(cursor) => cursor::read(key, list, cursor).ok_or(problem::INVALID_CURSOR),
            None => Ok(0),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for PageQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let limit = match only(&parts.uri, "limit").map_err(|_| problem::INVALID_LIMIT)? {
            Some(text) => parse_limit(&text).ok_or(problem::INVALID_LIMIT)?,
            None => DEFAULT_LIMIT,
        };
        let cursor = only(&parts.uri, "cursor").map_err(|_| problem::INVALID_CURSOR)?;
        Ok(Self {
            cursor,
            size: limit.min(MAX_PAGE_SIZE),
        })
    }
}

fn parse_limit(text: &str) -> Option<u64> {
    // `u64::from_str` would also take a plus sign.
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let limit = text.parse().ok().filter(|_| is_plain)?;
    (1..=MAX_LIMIT).contains(&limit).then_some(limit)
}

#[cfg(test)]
mod tests {
    use super::parse_limit;

    #[test]
    fn limit_is_an_integer_from_1_to_100() {
        let table = [
            ("1", Some(1)),
            ("50", Some(50)),
            ("100", Some(100)),
            ("007", Some(7)),
            ("0", None),
            ("101", None),
            ("-1", None),
            ("+1", None),
            (" 1", None),
            ("1.0", None),
            ("", None),
            ("ten", None),
            ("\u{0661}", None),
            ("99999999999999999999", None),
        ];

        for (text, expected) in table {
            assert_eq!(parse_limit(text), expected, "{text:?}");
        }
    }
}
