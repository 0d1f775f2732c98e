//! Errors: one class for each way in which a call can fail.
//!
//! `Display` says what happened, after how many attempts, and what the caller can do.
//! Neither `Display` nor `Debug` ever contains a URL, a query, a cursor, a key, a body
//! or a credential; a machine code, a request id and a field location are printed only
//! if they look like an identifier. Errors give the headers and the beginning of the body
//! of their response to those who ask. If a service returns a key or a cursor as its code
//! or its request id, it is printed: choose keys that are not secret.

mod config;
mod contract;
mod failure_kind;
mod http;
mod kept_response;
mod problem;
mod response;
mod stop_reason;
mod transport;

pub use config::ConfigError;
pub(crate) use config::{at_most, not_zero, positive};
pub use contract::ContractError;
pub(crate) use failure_kind::Undecodable;
pub use failure_kind::{Failure, FailureKind};
pub use http::ApiHttpError;
pub(crate) use kept_response::{KeptResponse, MAX_KEPT_BYTES};
pub(crate) use problem::Problem;
pub(crate) use response::Origin;
pub use response::{ApiResponseError, JsonType, ResponseProblem};
pub use stop_reason::StopReason;
pub use transport::ApiTransportError;

use std::fmt;

use ::http::Method;

use crate::{endpoint::Endpoint, idempotency_key::InvalidIdempotencyKey, telemetry};

/// Why a call of a client failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The service responded with a status that is not a success.
    #[error(transparent)]
    Http(#[from] ApiHttpError),
    /// The service responded with a success whose content is invalid.
    #[error(transparent)]
    Response(#[from] ApiResponseError),
    /// A listing violated the pagination contract or exceeded a limit of the caller.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// No complete response arrived.
    #[error(transparent)]
    Transport(#[from] ApiTransportError),
    /// A setting breaks its rule: the client was not built, or the call was not sent.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl From<InvalidIdempotencyKey> for ApiError {
    fn from(error: InvalidIdempotencyKey) -> Self {
        Self::Config(error.into())
    }
}

impl ApiError {
    /// The class of the error in spans (`error.type`): a status, a kind of
    /// failure, or the name of the class.
    #[must_use]
    pub fn error_type(&self) -> &'static str {
        match self {
            Self::Http(error) => telemetry::status_label(error.status),
            Self::Response(_) => "response",
            Self::Contract(_) => "contract",
            Self::Transport(error) => error.kind.as_str(),
            Self::Config(_) => "config",
        }
    }

    /// The problem of a response or a listing, as a name from a fixed set; `None` for
    /// other errors.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        match self {
            Self::Response(error) => Some(error.problem.as_str()),
            Self::Contract(error) => Some(error.as_str()),
            Self::Http(_) | Self::Transport(_) | Self::Config(_) => None,
        }
    }

    /// The number of requests sent by the failed call.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        match self {
            Self::Http(error) => error.attempts,
            Self::Response(error) => error.attempts,
            Self::Contract(error) => error.attempts(),
            Self::Transport(error) => error.attempts,
            Self::Config(_) => 0,
        }
    }
}

/// The request that an error is about, such as `GET /flaky`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestName {
    method: &'static str,
    template: &'static str,
}

impl RequestName {
    /// Names a request by its method and the template of its path. An unusual method
    /// becomes `_OTHER`, since every printed text must be fixed in the source code.
    #[must_use]
    pub fn new(method: &Method, endpoint: Endpoint) -> Self {
        Self {
            method: telemetry::method_label(method),
            template: endpoint.template(),
        }
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.template)
    }
}

/// "1 attempt", "3 attempts".
struct Attempts(u32);

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} attempt{plural}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ::http::StatusCode;

    use super::*;
    use crate::teaching::endpoint::{CREATE_JOB, ENDLESS_ITEMS, FLAKY};

    fn flaky(status: StatusCode) -> ApiHttpError {
        ApiHttpError::new(RequestName::new(&Method::GET, FLAKY), status)
    }

    fn job(kind: FailureKind, attempts: u32, stopped: Option<StopReason>) -> ApiError {
        let request = RequestName::new(&Method::POST, CREATE_JOB);
        let error = ApiTransportError::new(request, kind);
        let error = ApiTransportError {
            attempts,
            stopped,
            ..error
        };
        error.into()
    }

    fn items(error: impl FnOnce(RequestName) -> ContractError) -> ApiError {
        error(RequestName::new(&Method::GET, ENDLESS_ITEMS)).into()
    }

    #[test]
    fn the_text_names_the_request_the_result_and_the_advice() {
        let exhausted = ApiHttpError {
            problem: Problem {
                code: Some("unavailable".into()),
                request_id: Some("r-1".into()),
                field: None,
            },
            attempts: 3,
            stopped: Some(StopReason::AttemptsExhausted),
            ..flaky(StatusCode::SERVICE_UNAVAILABLE)
        };
        let later = ApiHttpError {
            // What is left until an HTTP date is seldom a whole second.
            retry_after: Some(Duration::from_millis(119_001)),
            stopped: Some(StopReason::RetryAfterOverBudget),
            ..flaky(StatusCode::SERVICE_UNAVAILABLE)
        };
        let long = ApiHttpError {
            incomplete_body: Some(FailureKind::BodyTooLarge),
            ..flaky(StatusCode::NOT_FOUND)
        };
        let wrong = ResponseProblem::WrongType {
            field: "attempt",
            expected: "a string or null",
            found: JsonType::Number,
        };
        let request = RequestName::new(&Method::GET, FLAKY);
        let wrong = ApiResponseError::new(request, StatusCode::OK, wrong);
        let (max_pages, max_items) = (5, 7);
        for (error, text) in [
            (
                exhausted.into(),
                "GET /flaky returned 503 Service Unavailable after 3 attempts \
                 (code unavailable, request r-1): all attempts were used; \
                 call again later, or allow more attempts",
            ),
            (
                later.into(),
                "GET /flaky returned 503 Service Unavailable after 1 attempt: the server asks \
                 for a wait of 120 s, which is longer than this client may wait; call again after \
                 120 s",
            ),
            (
                long.into(),
                "GET /flaky returned 404 Not Found after 1 attempt, with a body that was too long \
                 to be read completely: check the path and the identifier",
            ),
            (
                flaky(StatusCode::NOT_MODIFIED).into(),
                "GET /flaky returned 304 Not Modified after 1 attempt: nothing has changed since \
                 the copy that the request named; use that copy",
            ),
            (
                wrong.into(),
                "GET /flaky returned 200 OK after 1 attempt, but the field `attempt` \
                 is a number, not a string or null: tell the owner of the service; \
                 another request would get the same response",
            ),
            (
                job(FailureKind::Tls, 1, Some(StopReason::Tls)),
                "POST /jobs could not agree on TLS after 1 attempt: \
                 another attempt would fail in the same way; check the certificates and the address",
            ),
            (
                job(FailureKind::BodyTooLarge, 1, None),
                "POST /jobs had a response longer than this client accepts after 1 attempt: \
                 ask for less data, or allow a longer body",
            ),
            (
                job(FailureKind::QueueTimeout, 0, Some(StopReason::Deadline)),
                "POST /jobs had no turn in time: \
                 its deadline leaves no time for another attempt; \
                 call again later, or allow more time",
            ),
            (
                items(|request| ContractError::PageLimit { request, max_pages }),
                "GET /endless-items reached the limit of 5 pages before the end of the listing: \
                 the result is incomplete; allow more pages, or ask for less",
            ),
            (
                items(|request| ContractError::ItemLimit { request, max_items }),
                "GET /endless-items reached the limit of 7 items before the end of the listing: \
                 the result is incomplete; allow more items, or ask for less",
            ),
            (
                items(|request| ContractError::CursorRepeated {
                    request,
                    pages: 3,
                    attempts: 1,
                }),
                "GET /endless-items repeated a cursor on page 3: the listing is a loop, \
                 and the result is incomplete; tell the owner of the service",
            ),
            (
                items(|request| ContractError::CursorTooLong {
                    request,
                    url_bytes: 65_535,
                    max_url_bytes: 65_534,
                }),
                "GET /endless-items cannot send its cursor: the URL would have 65535 bytes, \
                 and the maximum is 65534, so the result is incomplete; \
                 tell the owner of the service",
            ),
        ] {
            assert_eq!(ApiError::to_string(&error), text);
        }
    }
}
