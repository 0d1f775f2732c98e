//! The service responded with a success that does not hold what it should.

use std::fmt;

use http::StatusCode;
use serde_json::value::RawValue;

use super::{Attempts, RequestName};

/// A response whose status is fine and whose representation is not.
///
/// A body that parses does not prove a success, and a success does not prove that
/// the body is right. So this class is distinct from
/// [`ApiHttpError`](super::ApiHttpError). It is never retried: the same response
/// would come again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiResponseError {
    /// Which request it was.
    pub request: RequestName,
    /// The status of the response.
    pub status: StatusCode,
    /// Requests put on the wire.
    pub attempts: u32,
    /// What is wrong with the response.
    pub problem: ResponseProblem,
}

impl ApiResponseError {
    /// A success with this problem, after one attempt; its other fields can be
    /// set.
    #[must_use]
    pub fn new(request: RequestName, status: StatusCode, problem: ResponseProblem) -> Self {
        Self {
            request,
            status,
            attempts: 1,
            problem,
        }
    }
}

impl fmt::Display for ApiResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} returned {} after {}, but {}: tell the owner of the service; \
             asking again would bring the same",
            self.request,
            self.status,
            Attempts(self.attempts),
            self.problem
        )
    }
}

impl std::error::Error for ApiResponseError {}

/// What is wrong with a response. Of several things the first in the order of
/// the checks is named: media type, JSON, object, `items`, `next_cursor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseProblem {
    /// This endpoint promises another status class.
    #[error("its status is not the one that this endpoint promises")]
    UnexpectedStatus,
    /// A 204 where a body is owed.
    #[error("it has no content where a body is owed")]
    NoContent,
    /// The media type is not JSON. The body was not looked at.
    #[error("its media type is not JSON")]
    NotJson,
    /// The media type says JSON, and the body does not parse.
    #[error("its body is not JSON (line {line}, column {column})")]
    InvalidJson {
        /// The line where it stops being JSON, from 1.
        line: usize,
        /// The column there, from 1; 0 at the very start or end of a line.
        column: usize,
    },
    /// The top level is not an object.
    #[error("its top level is {found}, not an object")]
    NotAnObject {
        /// What it is.
        found: JsonType,
    },
    /// A required field is missing. A missing `next_cursor` is not null.
    #[error("the field `{field}` is missing")]
    MissingField {
        /// Its name.
        field: &'static str,
    },
    /// A required field comes more than once, so that its value depends on who
    /// reads it (RFC 8259 §4).
    #[error("the field `{field}` comes more than once")]
    RepeatedField {
        /// Its name.
        field: &'static str,
    },
    /// A field has the wrong type.
    #[error("the field `{field}` is {found}, not {expected}")]
    WrongType {
        /// Its name.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: JsonType,
    },
    /// An item of a page is not an object.
    #[error("item {index} of `items` is {found}, not an object")]
    ItemNotAnObject {
        /// Which item, from 0.
        index: usize,
        /// What it is.
        found: JsonType,
    },
    /// A field is a string with half a surrogate pair in it, so that no text can
    /// hold it and it could not be sent back (RFC 8259 §8.2).
    #[error("the field `{field}` is a string with half a surrogate pair, which is no text")]
    NotUnicode {
        /// Its name.
        field: &'static str,
    },
    /// The cursor is an empty string.
    #[error("the field `next_cursor` is an empty string")]
    EmptyCursor,
}

impl ResponseProblem {
    /// Its name as a closed word, such as `invalid_json`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnexpectedStatus => "unexpected_status",
            Self::NoContent => "no_content",
            Self::NotJson => "not_json",
            Self::InvalidJson { .. } => "invalid_json",
            Self::NotAnObject { .. } => "not_an_object",
            Self::MissingField { .. } => "missing_field",
            Self::RepeatedField { .. } => "repeated_field",
            Self::WrongType { .. } => "wrong_type",
            Self::NotUnicode { .. } => "not_unicode",
            Self::ItemNotAnObject { .. } => "item_not_an_object",
            Self::EmptyCursor => "empty_cursor",
        }
    }
}

/// The type of a JSON value: what may be said about one without quoting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonType {
    /// The type of a well-formed value, which its first byte tells.
    pub(crate) fn of(value: &RawValue) -> Self {
        match value.get().as_bytes().first() {
            Some(b'n') => Self::Null,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'"') => Self::String,
            Some(b'[') => Self::Array,
            Some(b'{') => Self::Object,
            _ => Self::Number,
        }
    }
}

impl fmt::Display for JsonType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::teaching::endpoint::BAD_CURSOR;

    #[test]
    fn says_what_happened_and_what_to_do() {
        let error = ApiResponseError {
            request: RequestName::new(&Method::GET, BAD_CURSOR),
            status: StatusCode::OK,
            attempts: 1,
            problem: ResponseProblem::WrongType {
                field: "next_cursor",
                expected: "a string or null",
                found: JsonType::Number,
            },
        };

        assert_eq!(
            error.to_string(),
            "GET /bad-cursor returned 200 OK after 1 attempt, but the field `next_cursor` \
             is a number, not a string or null: tell the owner of the service; \
             asking again would bring the same"
        );
    }
}
