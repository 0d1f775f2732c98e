//! The texts for a decision: step by step, and in short.

use std::time::Duration;

use wire::{duration, duration_left};

use super::{AllowedBy, Decision, Next, RetryAfterRead};
use crate::stop_reason::StopReason;

/// The last step after a failure that is not retried.
const RETURNED: &str = "returned to the caller";

/// The reason for a client without a timeout.
const SILENCE: &str = "no timeout of its own, so the lab closed the connection";

impl Decision {
    /// The inputs in the order in which a client checks them, and then the decision: the
    /// failure, whether the request may be repeated, the Retry-After, the attempts left, and
    /// what the client does.
    #[must_use]
    pub fn steps(&self) -> Vec<String> {
        let mut steps: Vec<String> = self.reason.as_deref().map(reason).into_iter().collect();
        match &self.next {
            Next::Wait {
                length,
                asked,
                ceiling,
            } => {
                steps.extend(allowed(self));
                steps.extend(retry_after(self));
                steps.extend(attempt(self));
                steps.extend(remaining(self));
                steps.extend(tokens(self));
                steps.push(match (asked, ceiling) {
                    (true, _) => as_asked(self, *length),
                    (false, Some(ceiling)) => drawn(*length, *ceiling),
                    (false, None) => format!("its policy waits {}", duration(*length)),
                });
            }
            Next::Stop { why, weighed } => {
                steps.extend(before_stop(self, *why, *weighed));
                steps.push(RETURNED.to_owned());
            }
        }
        steps
    }

    /// The same in a few words, for a row of a chart.
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
                StopReason::AttemptsExhausted => match self.max_attempts {
                    Some(1) => "its only attempt is used".to_owned(),
                    Some(most) if !attempts_are_left(self) => format!("all {most} attempts used"),
                    _ => "its policy allows no retry".to_owned(),
                },
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

/// The steps up to the reason to stop, which is the last one.
fn before_stop(decision: &Decision, why: StopReason, weighed: Option<Duration>) -> Vec<String> {
    let eligible = || allowed(decision).into_iter();
    let counted = || {
        eligible()
            .chain(retry_after(decision))
            .chain(attempt(decision))
    };
    match why {
        StopReason::Tls => vec!["another attempt would fail too".to_owned()],
        StopReason::NotEligible => vec![forbidden(decision)],
        StopReason::BodyIsStream => eligible()
            .chain(["its body is a stream, which cannot be sent twice".to_owned()])
            .collect(),
        StopReason::RetryAfterOverBudget => eligible().chain([too_long(decision)]).collect(),
        StopReason::AttemptsExhausted => counted()
            .chain(attempts_are_left(decision).then(|| "its policy allows no retry".to_owned()))
            .collect(),
        StopReason::Deadline => counted().chain(late(decision, weighed)).collect(),
        StopReason::RetryBudgetEmpty => counted()
            .chain(remaining(decision))
            .chain(tokens(decision).map(|tokens| tokens + ", and a retry takes 1"))
            .collect(),
        StopReason::Silence => counted().chain([SILENCE.to_owned()]).collect(),
    }
}

fn attempts_are_left(decision: &Decision) -> bool {
    decision.attempt < decision.max_attempts
}

fn drawn(length: Duration, ceiling: Duration) -> String {
    format!("drew {} of at most {}", duration(length), duration(ceiling))
}

fn as_asked(decision: &Decision, length: Duration) -> String {
    match decision.retry_after {
        Some(RetryAfterRead::Valid(asked)) if asked < length => format!(
            "waits {}: as asked, plus a random {}",
            duration(length),
            duration(length.saturating_sub(asked))
        ),
        _ if length.is_zero() => "retries at once".to_owned(),
        _ => format!("waits {}, as asked", duration(length)),
    }
}

fn allowed(decision: &Decision) -> Option<String> {
    let method = decision.method.as_deref()?;
    Some(match decision.allowed_by? {
        AllowedBy::Method => format!("{method} may be repeated"),
        AllowedBy::Permission => format!("this {method} has permission to be repeated"),
    })
}

fn forbidden(decision: &Decision) -> String {
    match decision.method.as_deref() {
        Some(method @ ("POST" | "PATCH")) => {
            format!("{method} must not be repeated without permission")
        }
        Some(method) => format!("this {method} must not be repeated"),
        None => "it must not be repeated".to_owned(),
    }
}

fn retry_after(decision: &Decision) -> Option<String> {
    Some(match decision.retry_after? {
        RetryAfterRead::None => "no Retry-After".to_owned(),
        RetryAfterRead::Unusable => "Retry-After is unusable".to_owned(),
        RetryAfterRead::PastDate => "Retry-After is a date that has passed".to_owned(),
        RetryAfterRead::Valid(Duration::ZERO) => "Retry-After asks for no wait".to_owned(),
        RetryAfterRead::Valid(asked) => match decision.max_retry_after {
            Some(most) => format!("Retry-After {}, {} allowed", left(asked), duration(most)),
            None => format!("Retry-After {}", left(asked)),
        },
    })
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

fn attempt(decision: &Decision) -> Option<String> {
    let (attempt, most) = (decision.attempt?, decision.max_attempts?);
    Some(format!("attempt {attempt} of {most}"))
}

fn remaining(decision: &Decision) -> Option<String> {
    let remaining = decision.remaining?;
    Some(format!("{} left until the deadline", duration(remaining)))
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

/// The text for a problem of a response or a listing.
pub(crate) fn problem(word: &str) -> String {
    match word {
        "unexpected_status" => "this endpoint promises another status",
        "no_content" => "a body is missing",
        "not_json" => "its media type is not JSON",
        "invalid_json" => "its body does not parse as JSON",
        "not_an_object" => "its JSON is not an object",
        "missing_field" => "a required field is missing",
        "repeated_field" => "a field is repeated",
        "wrong_type" => "a field has the wrong type",
        "not_unicode" => "a text is not Unicode",
        "item_not_an_object" => "an item is not an object",
        "empty_cursor" => "its cursor is empty",
        "cursor_repeated" => "its cursor is a repeated one: a loop",
        "cursor_too_long" => "its cursor is too long to send back",
        "page_limit" => "the page limit is reached, and there are more pages",
        "item_limit" => "the item limit is reached, and there are more items",
        other => other,
    }
    .to_owned()
}
