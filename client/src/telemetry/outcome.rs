//! How a call of a client method ended, as a closed set.

use crate::error::ApiError;

/// How a call ended: the label `outcome` of the call metrics, and the field of
/// that name on the span `operation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallOutcome {
    /// The caller has what the endpoint promises.
    Ok,
    /// [`ApiError::Http`].
    HttpError,
    /// [`ApiError::Response`].
    ResponseError,
    /// [`ApiError::Contract`]; of listings only.
    ContractError,
    /// [`ApiError::Transport`], or [`ApiError::Config`] of a call that was refused before it was
    /// sent.
    TransportError,
    /// The future of the call was dropped before it was ready.
    Cancelled,
}

impl CallOutcome {
    /// Every outcome, in the order of declaration.
    pub const ALL: [Self; 6] = [
        Self::Ok,
        Self::HttpError,
        Self::ResponseError,
        Self::ContractError,
        Self::TransportError,
        Self::Cancelled,
    ];

    /// The outcome of a call that returned this result.
    #[must_use]
    pub fn of<T>(result: &Result<T, ApiError>) -> Self {
        match result {
            Ok(_) => Self::Ok,
            Err(ApiError::Http(_)) => Self::HttpError,
            Err(ApiError::Response(_)) => Self::ResponseError,
            Err(ApiError::Contract(_)) => Self::ContractError,
            Err(ApiError::Transport(_) | ApiError::Config(_)) => Self::TransportError,
        }
    }

    /// The outcome's label.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::HttpError => "http_error",
            Self::ResponseError => "response_error",
            Self::ContractError => "contract_error",
            Self::TransportError => "transport_error",
            Self::Cancelled => "cancelled",
        }
    }
}
