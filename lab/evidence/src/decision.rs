//! What a client decided after a failed attempt, and what the decision rested on.
//!
//! It is read from the span of the decision, a `wait` or a `stop`, which holds numbers
//! and closed words only. The words for it are made here, once, for terminal, web UI
//! and report.

mod explanation;

use std::time::Duration;

use crate::{
    stop_reason::StopReason,
    trace::{Fields, Span, SpanName, field},
};

pub(crate) use explanation::{problem, reason};

/// A decision after a failed attempt, with what it rested on. What a client did not
/// record is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What follows.
    pub next: Next,
    /// Why the attempt was looked at: a status or a kind of failure.
    pub reason: Option<String>,
    /// The method of the request.
    pub method: Option<String>,
    /// What allows the request to be repeated.
    pub allowed_by: Option<AllowedBy>,
    /// The number of the attempt that was judged.
    pub attempt: Option<u64>,
    /// The most attempts that the caller allows.
    pub max_attempts: Option<u64>,
    /// What the response had as its Retry-After; `None` without a response.
    pub retry_after: Option<RetryAfterRead>,
    /// The longest Retry-After that the caller allows.
    pub max_retry_after: Option<Duration>,
    /// The time left until the deadline of the call, if it has one.
    pub remaining: Option<Duration>,
    /// The tokens that were in the retry budget, if there is one.
    pub tokens: Option<f64>,
}

/// What follows a failed attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// A pause, and another attempt.
    Wait {
        /// How long it is.
        length: Duration,
        /// Whether the server chose its length.
        asked: bool,
        /// What its length was drawn below, if it was drawn.
        ceiling: Option<Duration>,
    },
    /// The failure goes to the caller.
    Stop {
        /// What forbade another attempt.
        why: StopReason,
        /// The wait that was weighed, if one was.
        weighed: Option<Duration>,
    },
}

/// What allows a request to be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedBy {
    /// Its method, which is idempotent.
    Method,
    /// The caller, who knows that it is safe.
    Permission,
}

/// What a client made of a Retry-After.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfterRead {
    /// There was none.
    None,
    /// It asked for this wait.
    Valid(Duration),
    /// It was a date that had come, and asked for none.
    PastDate,
    /// It was neither seconds nor a date.
    Unusable,
}

impl Decision {
    /// The decision that a span stands for, if it stands for one.
    #[must_use]
    pub fn of(span: &Span) -> Option<Self> {
        let fields = &span.fields;
        let text = |name| fields.text(name).map(str::to_owned);
        let next = match span.name {
            SpanName::Wait => Next::Wait {
                length: fields.seconds(field::WAIT_SECONDS)?,
                asked: fields.text(field::WAIT_SOURCE) == Some("retry_after"),
                ceiling: fields.seconds(field::WAIT_CEILING),
            },
            SpanName::Stop => Next::Stop {
                why: StopReason::labelled(fields.text(field::STOP_REASON)?)?,
                weighed: fields.seconds(field::STOP_WAIT),
            },
            SpanName::Run
            | SpanName::Operation
            | SpanName::Attempt
            | SpanName::Queue
            | SpanName::Request => return None,
        };
        Some(Self {
            next,
            reason: text(field::RETRY_REASON),
            method: text(field::METHOD),
            allowed_by: allowed_by(fields),
            attempt: fields.number(field::ATTEMPT),
            max_attempts: fields.number(field::MAX_ATTEMPTS),
            retry_after: retry_after(fields),
            max_retry_after: fields.seconds(field::RETRY_AFTER_MAX),
            remaining: fields.seconds(field::REMAINING),
            tokens: fields.float(field::TOKENS),
        })
    }

    /// How the request came to its end or to its next attempt, step by step in the
    /// order in which a client looks: what failed, whether it may be repeated, what
    /// the server asked for, how many attempts are left, and what came of it.
    #[must_use]
    pub fn steps(&self) -> Vec<String> {
        explanation::steps(self)
    }

    /// The same in a few words, for the row of a chart.
    #[must_use]
    pub fn in_short(&self) -> String {
        explanation::in_short(self)
    }
}

fn allowed_by(fields: &Fields) -> Option<AllowedBy> {
    match fields.text(field::ALLOWED_BY)? {
        "method" => Some(AllowedBy::Method),
        _ => Some(AllowedBy::Permission),
    }
}

fn retry_after(fields: &Fields) -> Option<RetryAfterRead> {
    match fields.text(field::RETRY_AFTER)? {
        "none" => Some(RetryAfterRead::None),
        "unusable" => Some(RetryAfterRead::Unusable),
        "past_date" => Some(RetryAfterRead::PastDate),
        // A number of seconds that is too long to represent is the longest there is.
        _ => Some(RetryAfterRead::Valid(
            fields
                .seconds(field::RETRY_AFTER_SECONDS)
                .unwrap_or(Duration::MAX),
        )),
    }
}

#[cfg(test)]
mod tests;
