//! A complete response, and the checks that every endpoint shares.
//!
//! They run in the order of the contract: HTTP success, JSON media type, a
//! top-level object. What the object must hold is its endpoint's business.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use reqwest::Response;
use serde_json::value::RawValue;

use crate::{
    error::{
        ApiError, ApiHttpError, ApiResponseError, JsonType, ProblemDetails, RequestName,
        ResponseProblem,
    },
    media_type,
    raw_object::ObjectText,
    retry::{FailureKind, IncompleteBody, RetryReport},
};

/// A response whose body has been read: that of a success to its end, that of
/// any other as far as it came.
pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) attempts: u32,
    request: RequestName,
    report: RetryReport,
    body: Bytes,
    incomplete: Option<FailureKind>,
}

impl ApiResponse {
    /// Takes a response from the retry middleware, which has buffered its body:
    /// reading it here is a matter of memory and cannot fail.
    pub(crate) async fn read(
        request: RequestName,
        mut response: Response,
        report: &RetryReport,
    ) -> Self {
        Self {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            attempts: report.attempts,
            request,
            report: *report,
            incomplete: response
                .extensions()
                .get::<IncompleteBody>()
                .map(|IncompleteBody(kind)| *kind),
            body: response.bytes().await.unwrap_or_default(),
        }
    }

    /// Keeps a 2xx; every other status is an [`ApiHttpError`].
    pub(crate) fn success(self) -> Result<Self, ApiError> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(self.into_http_error())
    }

    /// The error that this response is, with what its body and headers say.
    pub(crate) fn into_http_error(self) -> ApiError {
        let details = ProblemDetails::read(&self.headers, &self.body, self.incomplete.is_none());
        ApiError::Http(ApiHttpError {
            request: self.request,
            status: self.status,
            code: details.code,
            request_id: details.request_id,
            retry_after: self.report.retry_after,
            attempts: self.attempts,
            stopped: self.report.stopped,
            incomplete_body: self.incomplete,
        })
    }

    /// Reads the top-level object of a success, and `read` what is in it.
    pub(crate) fn json<T>(
        self,
        read: impl FnOnce(ObjectText<'_>) -> Result<T, ResponseProblem>,
    ) -> Result<T, ApiError> {
        let response = self.success()?;
        response
            .object()
            .and_then(read)
            .map_err(|problem| response.problem(problem))
    }

    fn object(&self) -> Result<ObjectText<'_>, ResponseProblem> {
        if self.status == StatusCode::NO_CONTENT {
            return Err(ResponseProblem::NoContent);
        }
        if !media_type::is_json(&self.headers) {
            return Err(ResponseProblem::NotJson);
        }
        // The whole body is checked and none of it is taken apart: this needs
        // no stack, so no depth of nesting can exhaust it or be refused.
        let body: &RawValue = serde_json::from_slice(&self.body).map_err(invalid_json)?;
        ObjectText::of(body).map_err(|found| ResponseProblem::NotAnObject { found })
    }

    /// The error for a success that is not what its endpoint promises.
    pub(crate) fn problem(&self, problem: ResponseProblem) -> ApiError {
        ApiError::Response(ApiResponseError {
            request: self.request,
            status: self.status,
            attempts: self.attempts,
            problem,
        })
    }
}

/// The error for a text that stops being JSON.
pub(crate) fn invalid_json(error: serde_json::Error) -> ResponseProblem {
    ResponseProblem::InvalidJson {
        line: error.line(),
        column: error.column(),
    }
}

/// Reads a field that is a string; `expected` is what else it may be.
pub(crate) fn string(
    field: &'static str,
    expected: &'static str,
    value: &RawValue,
) -> Result<String, ResponseProblem> {
    match JsonType::of(value) {
        // It is well-formed, so only half a surrogate pair can be in the way.
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
