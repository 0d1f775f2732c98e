//! A complete answer, and the checks that every endpoint shares.
//!
//! They run in the order of the contract: HTTP success, JSON media type, a
//! top-level object. What the object must hold is its endpoint's business.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use reqwest::Response;
use serde_json::Value;

use crate::{
    api::JsonObject,
    error::{
        ApiError, ApiHttpError, ApiResponseError, JsonType, ProblemDetails, RequestName,
        ResponseProblem,
    },
    media_type,
    retry::RetryReport,
};

/// An answer whose body has been read to its end.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) attempts: u32,
    request: RequestName,
    report: RetryReport,
    body: Bytes,
}

impl Answer {
    /// Takes an answer from the retry middleware, which has buffered its body:
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

    /// The error that this answer is, with what its body and headers say.
    pub(crate) fn into_http_error(self) -> ApiError {
        let details = ProblemDetails::read(&self.headers, &self.body);
        ApiError::Http(ApiHttpError {
            request: self.request,
            status: self.status,
            code: details.code,
            request_id: details.request_id,
            retry_after: self.report.retry_after,
            attempts: self.attempts,
            stopped: self.report.stopped,
        })
    }

    /// Reads the top-level object of a success, and `read` what is in it.
    pub(crate) fn json<T>(
        self,
        read: impl FnOnce(JsonObject) -> Result<T, ResponseProblem>,
    ) -> Result<T, ApiError> {
        let answer = self.success()?;
        answer
            .object()
            .and_then(read)
            .map_err(|problem| answer.problem(problem))
    }

    fn object(&self) -> Result<JsonObject, ResponseProblem> {
        if self.status == StatusCode::NO_CONTENT {
            return Err(ResponseProblem::NoContent);
        }
        if !media_type::is_json(&self.headers) {
            return Err(ResponseProblem::NotJson);
        }
        match serde_json::from_slice(&self.body) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(other) => Err(ResponseProblem::NotAnObject {
                found: JsonType::from(&other),
            }),
            Err(error) => Err(ResponseProblem::InvalidJson {
                line: error.line(),
                column: error.column(),
            }),
        }
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

/// Takes a required field out of an object.
pub(crate) fn required(
    object: &mut JsonObject,
    field: &'static str,
) -> Result<Value, ResponseProblem> {
    object
        .remove(field)
        .ok_or(ResponseProblem::MissingField { field })
}

/// The error for a field of the wrong type.
pub(crate) fn wrong_type(
    field: &'static str,
    expected: &'static str,
    found: &Value,
) -> ResponseProblem {
    ResponseProblem::WrongType {
        field,
        expected,
        found: found.into(),
    }
}
