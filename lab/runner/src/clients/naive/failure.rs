//! Why a call of the naive client failed, and how often it is made.

use client::{
    FailureKind,
    telemetry::{CallOutcome, status_label},
};
use http::StatusCode;

/// How often a call is made at most. The number is as arbitrary as it usually
/// is, where there is one at all.
pub(super) const MAX_ATTEMPTS: u32 = 10;

/// Why a call failed, as much of it as this client keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The status was no success. Machine code, request id and Retry-After went
    /// unread, as they do where all that is kept is `error_for_status`.
    Status(StatusCode),
    /// The body did not parse.
    NotJson,
    /// No complete response came.
    Transport(FailureKind),
    /// Nothing came, and the lab hung up.
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
