//! The checks of a response, in the order of the contract:
//!
//! 1. HTTP success: [`ApiResponse::success`];
//! 2. the JSON media type: [`ApiResponse::json_body`];
//! 3. a top-level object, where one is promised: [`ApiResponse::read`];
//! 4. of a page, that `items` is an array of objects, and
//! 5. the type of `next_cursor`: [`Page::of`](crate::Page). Each other endpoint checks
//!    its own required fields in the same way.
//!
//! A 204 is an empty success and never parsed: [`ApiResponse::no_content`].

use http::StatusCode;
use serde_json::value::RawValue;

use crate::{
    api_response::ApiResponse,
    error::{ApiError, JsonType, ResponseProblem},
    media_type,
    raw_object::ObjectText,
};

impl ApiResponse {
    /// Keeps a 2xx; every other status is an [`ApiError::Http`].
    pub(crate) fn success(self) -> Result<Self, ApiError> {
        if self.status().is_success() {
            return Ok(self);
        }
        Err(self.into_http_error())
    }

    /// Keeps a success whose body is valid JSON or empty.
    pub(crate) fn valid(self) -> Result<Self, ApiError> {
        let response = self.success()?;
        if response.body().is_empty() {
            return Ok(response);
        }
        match response.valid_json() {
            Ok(_) => Ok(response),
            Err(problem) => Err(response.problem(problem)),
        }
    }

    /// Passes the top-level object of a success to `read`.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(ObjectText<'_>) -> Result<T, ResponseProblem>,
    ) -> Result<T, ApiError> {
        let object = self.valid_json().and_then(|body| {
            ObjectText::of(body).map_err(|found| ResponseProblem::NotAnObject { found })
        });
        object
            .and_then(read)
            .map_err(|problem| self.problem(problem))
    }

    /// The body, if the media type is JSON.
    pub(crate) fn json_body(&self) -> Result<&[u8], ResponseProblem> {
        if self.status() == StatusCode::NO_CONTENT {
            return Err(ResponseProblem::NoContent);
        }
        if !media_type::is_json(self.headers()) {
            return Err(ResponseProblem::NotJson);
        }
        Ok(self.body())
    }

    /// The body as text that is valid JSON.
    ///
    /// It is validated without building a tree or recursing, so deep nesting can neither
    /// overflow the stack nor be rejected.
    fn valid_json(&self) -> Result<&RawValue, ResponseProblem> {
        serde_json::from_slice(self.json_body()?).map_err(invalid_json)
    }

    /// Checks that this is a 204, whatever the media type; its body is not read.
    pub(crate) fn no_content(self) -> Result<(), ApiError> {
        let response = self.success()?;
        match response.status() {
            StatusCode::NO_CONTENT => Ok(()),
            _ => Err(response.problem(ResponseProblem::UnexpectedStatus)),
        }
    }
}

/// The error for a text that is not valid JSON.
pub(crate) fn invalid_json(error: serde_json::Error) -> ResponseProblem {
    ResponseProblem::InvalidJson {
        line: error.line(),
        column: error.column(),
    }
}

/// Reads a field that is a string; `expected` describes the allowed types in the error.
pub(crate) fn string(
    field: &'static str,
    expected: &'static str,
    value: &RawValue,
) -> Result<String, ResponseProblem> {
    match JsonType::of(value) {
        // The JSON is well-formed, so the only possible error is an unpaired surrogate.
        JsonType::String => {
            serde_json::from_str(value.get()).map_err(|_| ResponseProblem::NotUnicode { field })
        }
        _ => Err(wrong_type(field, expected, value)),
    }
}

/// The error for a field of the wrong type.
pub(crate) fn wrong_type(
    field: &'static str,
    expected: &'static str,
    found: &RawValue,
) -> ResponseProblem {
    ResponseProblem::WrongType {
        field,
        expected,
        found: JsonType::of(found),
    }
}
