//! No complete response arrived.

use std::fmt;

use bytes::Bytes;

use super::{
    ApiError, Attempts, FailureKind, KeptResponse, Origin, RequestName, ResponseProblem,
    StopReason, Undecodable, failure_kind::is_failed_check,
};

/// A request that ended without a complete response.
///
/// All failures of a transport have this one class; the kind distinguishes them. If a
/// request that changes something fails, the change may still have taken effect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub struct ApiTransportError {
    /// Which request it was.
    pub request: RequestName,
    /// The kind of failure that ended the last attempt.
    pub kind: FailureKind,
    /// The number of requests sent.
    pub attempts: u32,
    /// The retry rule that forbade another attempt, if one did.
    pub stopped: Option<StopReason>,
    /// The error of the transport, without its URL.
    #[source]
    pub source: Option<reqwest::Error>,
}

impl ApiTransportError {
    /// Creates an error for a failure of this kind with `attempts` set to 0. Set the
    /// other public fields as needed.
    #[must_use]
    pub fn new(request: RequestName, kind: FailureKind) -> Self {
        Self {
            request,
            kind,
            attempts: 0,
            stopped: None,
            source: None,
        }
    }
}

impl ApiError {
    /// Converts the error of a middleware stack, which sent so many requests and was stopped
    /// by this rule, if by any.
    pub(crate) fn of_stack(
        request: RequestName,
        error: reqwest_middleware::Error,
        attempts: u32,
        stopped: Option<StopReason>,
    ) -> Self {
        let kind = FailureKind::of(&error);
        let source = match error {
            reqwest_middleware::Error::Reqwest(error) => Some(error.without_url()),
            reqwest_middleware::Error::Middleware(error) => {
                if let Some(Undecodable { status, headers }) = error.downcast_ref() {
                    let origin = Origin {
                        request,
                        status: *status,
                        attempts,
                    };
                    let kept = KeptResponse::new(headers.clone(), &Bytes::new());
                    return origin.error(ResponseProblem::Undecodable, kept);
                }
                // A foreign middleware's may contain anything, and a failure that was made
                // here has no other cause than its kind.
                None
            }
        };
        Self::Transport(ApiTransportError {
            attempts,
            stopped,
            source,
            ..ApiTransportError::new(request, kind)
        })
    }
}

impl ApiTransportError {
    /// Whether the connection was lost in a TLS handshake of which no check had failed.
    fn is_broken_handshake(&self) -> bool {
        let source = self.source.as_ref();
        self.kind == FailureKind::Tls && source.is_some_and(|error| !is_failed_check(error))
    }
}

impl fmt::Display for ApiTransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (problem, advice) = if self.is_broken_handshake() {
            (
                "lost its connection in the TLS handshake",
                "a handshake that broke off is not retried; check that the address speaks TLS",
            )
        } else {
            let advice = self.stopped.map_or(advice(self.kind), StopReason::advice);
            (what_happened(self.kind), advice)
        };
        write!(f, "{} {problem}", self.request)?;
        if self.attempts > 0 {
            write!(f, " after {}", Attempts(self.attempts))?;
        }
        write!(f, ": {advice}")
    }
}

fn what_happened(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::ConnectTimeout => "found no connection in time",
        FailureKind::ReadTimeout => "had no complete response in time",
        FailureKind::Connect => "found no connection",
        FailureKind::Tls => "could not agree on TLS",
        FailureKind::ConnectionLost => "lost its connection before the response was complete",
        FailureKind::Protocol => "had a response that is not HTTP",
        FailureKind::BodyTooLarge => "had a response longer than this client accepts",
        FailureKind::Undecodable => "had a response that cannot be decoded",
        FailureKind::Request => "could not be sent",
        FailureKind::QueueTimeout => "had no turn in time",
    }
}

/// The advice about a failure that was not stopped by a retry rule.
fn advice(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::BodyTooLarge => "ask for less data, or allow a longer body",
        FailureKind::Undecodable => {
            "tell the owner of the service; another request would get the same response"
        }
        FailureKind::Request => "check the request, the session and its middlewares",
        _ => "find out whether it took effect before sending it again",
    }
}
