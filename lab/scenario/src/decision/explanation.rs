//! The text for a decision.

use std::time::Duration;

use wire::{duration, duration_left};

use super::{Decision, Next, RetryAfterRead};
use crate::stop_reason::StopReason;

/// The reason for a client without a timeout.
const SILENCE: &str = "no timeout, so the lab hung up";

impl Decision {
    /// The decision and its reason in a few words, for a row of a chart.
    #[must_use]
    pub fn in_short(&self) -> String {
        match &self.next {
            Next::Wait { asked: true, .. } => match self.retry_after {
                Some(RetryAfterRead::Valid(Duration::ZERO)) => {
                    "Retry-After asks for no wait".to_owned()
                }
                Some(RetryAfterRead::PastDate) => "Retry-After is a past date".to_owned(),
                _ => "Retry-After".to_owned(),
            },
            Next::Wait { ceiling, .. } => {
                let unusable = self.retry_after == Some(RetryAfterRead::Unusable);
                match (unusable, ceiling) {
                    (true, _) => "backoff, Retry-After unusable".to_owned(),
                    (false, Some(ceiling)) => format!("backoff, at most {}", duration(*ceiling)),
                    (false, None) => "backoff".to_owned(),
                }
            }
            Next::Stop { why, weighed } => match why {
                StopReason::Tls => "TLS would fail again".to_owned(),
                StopReason::NotEligible | StopReason::BodyIsStream => match &self.method {
                    Some(method) => format!("this {method} is not repeated"),
                    None => "not repeated".to_owned(),
                },
                StopReason::RetryAfterOverBudget => too_long(self),
                StopReason::AttemptsExhausted if attempts_are_left(self) => {
                    "its policy allows no retry".to_owned()
                }
                StopReason::AttemptsExhausted => "no attempt left".to_owned(),
                StopReason::Deadline => {
                    late(self, *weighed).unwrap_or_else(|| "deadline".to_owned())
                }
                StopReason::RetryBudgetEmpty => {
                    tokens(self).unwrap_or_else(|| "the retry budget is empty".to_owned())
                }
                StopReason::Silence => SILENCE.to_owned(),
            },
        }
    }
}

fn attempts_are_left(decision: &Decision) -> bool {
    decision.attempt < decision.max_attempts
}

/// A Retry-After that is longer than the caller allows.
fn too_long(decision: &Decision) -> String {
    let asked = match decision.retry_after {
        Some(RetryAfterRead::Valid(asked)) => left(asked),
        _ => "too long".to_owned(),
    };
    match decision.max_retry_after {
        Some(most) => format!("Retry-After {asked} > {} allowed", duration(most)),
        None => format!("Retry-After {asked}"),
    }
}

/// A requested wait, rounded up, so that a reader who waits this long is not early.
fn left(asked: Duration) -> String {
    match asked {
        Duration::MAX => "too long to represent".to_owned(),
        asked => duration_left(asked),
    }
}

fn late(decision: &Decision, weighed: Option<Duration>) -> Option<String> {
    let remaining = decision.remaining?;
    Some(match weighed {
        Some(wait) => format!(
            "a wait of {}, and {} left",
            duration_left(wait),
            duration(remaining)
        ),
        None => "the deadline passed".to_owned(),
    })
}

fn tokens(decision: &Decision) -> Option<String> {
    // Tenths, rounded down: 0.9 of a token does not pay for a retry.
    let tenths = (decision.tokens? * 10.0 + 1e-6).floor() / 10.0;
    let noun = if tenths == 1.0 { "token" } else { "tokens" };
    Some(format!("retry budget {tenths} {noun}"))
}

/// The text for a failure: a status unchanged, a kind of failure in words.
pub(crate) fn reason(label: &str) -> String {
    match label {
        "connect_timeout" => "no connection in time",
        "read_timeout" => "no complete response in time",
        "connect" => "no connection",
        "tls" => "the TLS handshake failed",
        "connection_lost" => "the connection broke off",
        "protocol" => "the response is not HTTP",
        "body_too_large" => "the body is longer than allowed",
        "request" => "the request could not be sent",
        "queue_timeout" => "no free slot in time",
        status => status,
    }
    .to_owned()
}
