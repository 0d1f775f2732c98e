//! The retry rule that ended a call, as its error names it.

/// The rule that forbade another attempt. The variants are in the order in which they
/// are checked: the first one that applies is the reason given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// The TLS handshake failed.
    Tls,
    /// The request must not be repeated: its method is not idempotent and it carries no
    /// permission.
    NotEligible,
    /// The request may be repeated, but its body is a stream, which the first attempt
    /// has consumed. In metrics it counts as not eligible.
    BodyIsStream,
    /// The server asked for a longer wait than the caller allows: the budget of a wait is
    /// `max_retry_after`, and has nothing to do with a [`RetryBudget`](crate::RetryBudget).
    RetryAfterOverBudget,
    /// All attempts were used.
    AttemptsExhausted,
    /// The wait would reach the deadline of the call.
    Deadline,
    /// The clients that share this budget have retried enough for now.
    RetryBudgetEmpty,
}

impl StopReason {
    /// The advice for the caller, which ends the text of an error.
    pub(crate) const fn advice(self) -> &'static str {
        match self {
            Self::Tls => {
                "another attempt would fail in the same way; check the certificates and the address"
            }
            Self::NotEligible => {
                "it must not be repeated by itself; find out whether it took effect \
                 before sending it again"
            }
            Self::BodyIsStream => {
                "its body is a stream, which cannot be sent twice; begin the stream anew \
                 and send it again, or hold the body in memory"
            }
            Self::RetryAfterOverBudget => {
                "the server asks for a longer wait than this client may wait; call again after that wait"
            }
            Self::AttemptsExhausted => {
                "all attempts were used; call again later, or allow more attempts"
            }
            Self::Deadline => {
                "its deadline leaves no time for another attempt; call again later, or allow more time"
            }
            Self::RetryBudgetEmpty => {
                "the shared retry budget is spent; reduce the load, and call again later"
            }
        }
    }
}
