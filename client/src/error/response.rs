//! The service responded with a success whose content is invalid.

use std::fmt;

use http::{HeaderMap, StatusCode};
use serde_json::value::RawValue;

use super::{ApiError, Attempts, RequestName, kept_response::KeptResponse};

/// A response with a success status and invalid content.
///
/// A body that parses does not prove a success, and a success does not prove that the
/// body is right. So this class is distinct from [`ApiHttpError`](super::ApiHttpError).
/// It is never retried: another request would get the same response.
///
/// Neither `Display` nor `Debug` prints the headers, the body or the detail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{request} returned {status} after {}, but {problem}: {}",
    Attempts(*.attempts), .problem.advice()
)]
#[non_exhaustive]
pub struct ApiResponseError {
    /// Which request it was.
    pub request: RequestName,
    /// The status of the response.
    pub status: StatusCode,
    /// The number of requests sent.
    pub attempts: u32,
    /// The problem of the response.
    pub problem: ResponseProblem,
    pub(crate) kept: Box<KeptResponse>,
}

impl ApiResponseError {
    /// Creates an error for this problem with `attempts` set to 1. Set the other public
    /// fields as needed.
    #[must_use]
    pub fn new(request: RequestName, status: StatusCode, problem: ResponseProblem) -> Self {
        Self {
            request,
            status,
            attempts: 1,
            problem,
            kept: Box::default(),
        }
    }

    /// The headers of the response; none if the error is about an item of a page.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.kept.headers
    }

    /// The first 64 KiB of the body of the response; empty if the error is about an item of
    /// a page, or if the body cannot be decoded.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.kept.body
    }

    /// The message of `serde_json` about a text that does not fit the type that was asked for, such
    /// as the name of a missing field. It may quote values of the response.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.kept.detail.as_deref()
    }
}

/// Which call a response came from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) request: RequestName,
    pub(crate) status: StatusCode,
    pub(crate) attempts: u32,
}

impl Origin {
    /// An error about the response.
    pub(crate) fn error(self, problem: ResponseProblem, kept: KeptResponse) -> ApiError {
        ApiError::Response(ApiResponseError {
            request: self.request,
            status: self.status,
            attempts: self.attempts,
            problem,
            kept: Box::new(kept),
        })
    }
}

#[cfg(test)]
impl Default for Origin {
    fn default() -> Self {
        Self {
            request: RequestName::new(&http::Method::GET, crate::endpoint::Endpoint::OTHER),
            status: StatusCode::OK,
            attempts: 1,
        }
    }
}

/// The problem of a response. If there are several, this is the first one in the order
/// of the checks: media type, JSON, object, `items`, `next_cursor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseProblem {
    /// This endpoint promises another status class.
    #[error("its status is not the one that this endpoint promises")]
    UnexpectedStatus,
    /// A 204 where a body is required.
    #[error("it has no body, although one is required")]
    NoContent,
    /// The media type is not JSON. The body was not parsed.
    #[error("its media type is not JSON")]
    NotJson,
    /// The body is complete, but its `Content-Encoding` cannot be undone.
    #[error("its body cannot be decoded")]
    Undecodable,
    /// The media type is JSON, but the body is not.
    #[error("its body is not JSON (line {line}, column {column})")]
    InvalidJson {
        /// The line of the first error, from 1.
        line: usize,
        /// The column there, from 1; 0 at the very start or end of a line.
        column: usize,
    },
    /// The top level is not an object.
    #[error("its top level is {found}, not an object")]
    NotAnObject {
        /// The actual type.
        found: JsonType,
    },
    /// A required field is missing. A missing `next_cursor` is not null.
    #[error("the field `{field}` is missing")]
    MissingField {
        /// Its name.
        field: &'static str,
    },
    /// A required field appears more than once, so that its value depends on the parser
    /// (RFC 8259 §4).
    #[error("the field `{field}` appears more than once")]
    RepeatedField {
        /// Its name.
        field: &'static str,
    },
    /// A field has the wrong type.
    #[error("the field `{field}` is {found}, not {expected}")]
    WrongType {
        /// Its name.
        field: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The actual type.
        found: JsonType,
    },
    /// The JSON is not of the type that the caller asked for, or exceeds what `serde_json`
    /// reads into any type.
    #[error("it does not fit the type that was asked for (line {line}, column {column})")]
    DoesNotFit {
        /// The line of the first error, from 1.
        line: usize,
        /// The column there, from 1; 0 at the very start or end of a line.
        column: usize,
    },
    /// An item of a page is not an object.
    #[error("item {index} of `{field}` is {found}, not an object")]
    ItemNotAnObject {
        /// The name of the member with the items.
        field: &'static str,
        /// Which item, from 0.
        index: usize,
        /// The actual type.
        found: JsonType,
    },
    /// A field is a string with an unpaired surrogate, which is not valid Unicode and
    /// cannot be sent back (RFC 8259 §8.2).
    #[error("the field `{field}` contains an unpaired surrogate, which is not valid Unicode")]
    NotUnicode {
        /// Its name.
        field: &'static str,
    },
    /// The cursor is an empty string.
    #[error("the field `{field}` is an empty string")]
    EmptyCursor {
        /// Its name.
        field: &'static str,
    },
}

impl ResponseProblem {
    /// The problem of a text that does not fit the type that the caller asked for.
    pub(crate) fn does_not_fit(error: &serde_json::Error) -> Self {
        Self::DoesNotFit {
            line: error.line(),
            column: error.column(),
        }
    }

    /// Its name from a fixed set, such as `invalid_json`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnexpectedStatus => "unexpected_status",
            Self::NoContent => "no_content",
            Self::NotJson => "not_json",
            Self::Undecodable => "undecodable",
            Self::InvalidJson { .. } => "invalid_json",
            Self::NotAnObject { .. } => "not_an_object",
            Self::MissingField { .. } => "missing_field",
            Self::RepeatedField { .. } => "repeated_field",
            Self::WrongType { .. } => "wrong_type",
            Self::NotUnicode { .. } => "not_unicode",
            Self::ItemNotAnObject { .. } => "item_not_an_object",
            Self::EmptyCursor { .. } => "empty_cursor",
            Self::DoesNotFit { .. } => "does_not_fit",
        }
    }

    /// The advice for the caller, which ends the text of an error.
    const fn advice(self) -> &'static str {
        match self {
            Self::DoesNotFit { .. } => {
                "correct the type, or tell the owner of the service; \
                 another request would get the same response"
            }
            _ => "tell the owner of the service; another request would get the same response",
        }
    }
}

/// The type of a JSON value, which an error may name without quoting the value.
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
    /// The type of a well-formed value, determined by its first byte.
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
