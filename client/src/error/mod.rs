//! Errors: one class for each way in which a call can fail.
//!
//! `Display` says what happened, after how many attempts, and what the caller can do.
//! Neither `Display` nor `Debug` ever contains a URL, a query, a cursor, a key, a body
//! or a credential; a machine code, a request id and a field location are printed only
//! if they look like an identifier. If a service returns a key or a cursor as its code
//! or its request id, it is printed: choose keys that are not secret.

mod chain;
mod config;
mod contract;
mod http;
mod problem;
mod response;
mod transport;

pub(crate) use chain::{chain, find};
pub use config::{ConfigError, NotPositive};
pub(crate) use config::{at_most, not_zero};
pub use contract::ContractError;
pub use http::ApiHttpError;
pub(crate) use problem::Problem;
pub use response::{ApiResponseError, JsonType, ResponseProblem};
pub use transport::ApiTransportError;

use std::fmt;

use ::http::Method;

use crate::{endpoint::Endpoint, telemetry};

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
