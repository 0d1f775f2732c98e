//! Why a call of the naive client failed, and how often it is made.

use client::{
    FailureKind,
    telemetry::{CallOutcome, status_label},
};
use http::StatusCode;

/// The most attempts of a call: an arbitrary number, as in many programs.
pub(super) const MAX_ATTEMPTS: u32 = 10;

/// The cause of a failed call, as far as this client keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The status was not a success. Error code, request id and Retry-After are not read,
    /// as in programs that keep only `error_for_status`.
    Status(StatusCode),
    /// The body did not parse.
    NotJson,
    /// No complete response came.
    Transport(FailureKind),
    /// No response arrived, and the lab hung up.
    Silence,
}

impl Failure {
    pub(super) fn error_type(self) -> &'static str {
        match self {
            Self::Status(status) => status_label(status),
            Self::NotJson => "invalid_json",
            Self::Transport(kind) => kind.as_str(),
            Self::Silence => FailureKind::ReadTimeout.as_str(),
        }
    }

    pub(super) fn call_outcome(self) -> CallOutcome {
        match self {
            Self::Status(_) => CallOutcome::HttpError,
            Self::NotJson => CallOutcome::ResponseError,
            Self::Transport(_) | Self::Silence => CallOutcome::TransportError,
        }
    }
}
