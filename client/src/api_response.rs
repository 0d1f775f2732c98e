//! A complete response, and the errors that can be made of it.
//!
//! Whether it is what its endpoint promises is checked in `response_checks`.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use reqwest::Response;
use serde::Deserialize;

use crate::{
    error::{
        ApiError, ApiHttpError, FailureKind, KeptResponse, Origin, Problem, RequestName,
        ResponseProblem,
    },
    retry::{IncompleteBody, RetryReport},
};

/// A success: its status, its headers and its body, which is valid JSON or empty.
///
/// `Debug` prints the request, the status and the number of attempts alone.
pub struct ApiResponse {
    request: RequestName,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    report: RetryReport,
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

    /// The status, from 200 to 299.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The number of requests sent.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.report.attempts
    }

    /// The body, unchanged.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body as text, unchanged; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap_or_default()
    }

    /// Reads the body as a type of the caller's.
    ///
    /// ```no_run
    /// use reliable_api_client::{ApiClient, ApiError, Endpoint};
    ///
    /// const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Order {
    ///     id: u64,
    /// }
    ///
    /// async fn order(client: &ApiClient, id: u64) -> Result<Order, ApiError> {
    ///     client.get(ORDER.path("id", id)).send().await?.json()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] if there is no body, if the body does not fit the type, or if
    /// it exceeds what `serde_json` reads: 127 levels of nesting, numbers in the range of
    /// the type (or of `f64`), strings without half a surrogate pair.
    pub fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<T, ApiError> {
        let body = self.json_body().map_err(|problem| self.problem(problem))?;
        serde_json::from_slice(body).map_err(|error| {
            let mut kept = self.kept();
            kept.detail = Some(error.to_string().into());
            self.origin()
                .error(ResponseProblem::does_not_fit(&error), kept)
        })
    }

    /// Which call this is the response of.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            request: self.request,
            status: self.status,
            attempts: self.report.attempts,
        }
    }

    /// The error that this response is, with what its body and headers say.
    pub(crate) fn into_http_error(self) -> ApiError {
        // A part of a problem object is none.
        let body = if self.incomplete.is_some() {
            &[][..]
        } else {
            &self.body
        };
        ApiError::Http(ApiHttpError {
            request: self.request,
            status: self.status,
            problem: Problem::read(&self.headers, body),
            retry_after: self.report.retry_after,
            attempts: self.report.attempts,
            stopped: self.report.stopped,
            incomplete_body: self.incomplete,
            kept: Box::new(KeptResponse::new(self.headers, &self.body)),
        })
    }

    /// The error for a success that is not what its endpoint promises.
    pub(crate) fn problem(&self, problem: ResponseProblem) -> ApiError {
        self.origin().error(problem, self.kept())
    }

    fn kept(&self) -> KeptResponse {
        KeptResponse::new(self.headers.clone(), &self.body)
    }
}

impl fmt::Debug for ApiResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiResponse")
            .field("request", &self.request)
            .field("status", &self.status)
            .field("attempts", &self.report.attempts)
            .finish_non_exhaustive()
    }
}
