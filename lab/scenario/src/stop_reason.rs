//! Why a client stopped: what forbade another attempt.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The rule that forbade another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The TLS handshake failed.
    Tls,
    /// The request must not be repeated.
    NotEligible,
    /// The request may be repeated, but its body cannot be sent twice.
    BodyIsStream,
    /// The server asked for a longer wait than the caller allows.
    RetryAfterOverBudget,
    /// All attempts were used.
    AttemptsExhausted,
    /// The wait would reach the deadline of the call.
    Deadline,
    /// The clients that share a retry budget have retried enough for now.
    RetryBudgetEmpty,
    /// Nothing came, and the client has no timeout: the lab hung up.
    Silence,
}

impl StopReason {
    /// Its label, in spans and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tls => "tls",
            Self::NotEligible => "not_eligible",
            Self::BodyIsStream => "body_is_stream",
            Self::RetryAfterOverBudget => "retry_after_over_budget",
            Self::AttemptsExhausted => "attempts_exhausted",
            Self::Deadline => "deadline",
            Self::RetryBudgetEmpty => "retry_budget_empty",
            Self::Silence => "silence",
        }
    }

    /// The reason with this label.
    pub(crate) fn labelled(label: &str) -> Option<Self> {
        serde_json::from_value(label.into()).ok()
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
