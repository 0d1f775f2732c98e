//! A complete response, and the errors that can be made of it.
//!
//! Whether it is what its endpoint promises is checked in `response_checks`.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use reqwest::Response;

use crate::{
    error::{ApiError, ApiHttpError, ApiResponseError, Problem, RequestName, ResponseProblem},
    retry::{FailureKind, IncompleteBody, RetryReport},
};

/// A response whose body has been read: that of a success to its end, that of
/// any other as far as it came.
pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) report: RetryReport,
    request: RequestName,
    pub(crate) body: Bytes,
    incomplete: Option<FailureKind>,
}

impl ApiResponse {
    pub(crate) fn new(request: RequestName, mut response: Response, body: Bytes) -> Self {
        let extensions = response.extensions();
        let incomplete = extensions.get::<IncompleteBody>();
        Self {
            status: response.status(),
            report: extensions.get().copied().unwrap_or_default(),
            incomplete: incomplete.map(|IncompleteBody(kind)| *kind),
            headers: std::mem::take(response.headers_mut()),
            request,
            body,
        }
    }

    /// The error that this response is, with what its body and headers say.
    pub(crate) fn into_http_error(self) -> ApiError {
        ApiError::Http(ApiHttpError {
            request: self.request,
            status: self.status,
            problem: Problem::read(&self.headers, &self.body, self.incomplete.is_none()),
            retry_after: self.report.retry_after,
            attempts: self.report.attempts,
            stopped: self.report.stopped,
            incomplete_body: self.incomplete,
        })
    }

    /// The error for a success that is not what its endpoint promises.
    pub(crate) fn problem(&self, problem: ResponseProblem) -> ApiError {
        ApiError::Response(ApiResponseError {
            request: self.request,
            status: self.status,
            attempts: self.report.attempts,
            problem,
        })
    }
}
