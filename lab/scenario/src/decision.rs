//! A client's decision after a failed attempt, and its inputs.
//!
//! It is read from the span of the decision, a `wait` or a `stop`, which contains only
//! numbers and words of a closed set. The texts for it are made here, for terminal, web UI
//! and report.

mod explanation;

use std::time::Duration;

use crate::{
    stop_reason::StopReason,
    trace::{Fields, Span, SpanName, field},
};

pub(crate) use explanation::reason;

/// A decision after a failed attempt, with its inputs. An input that the client did not
/// record is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The decision.
    pub next: Next,
    /// The failure: a status or a kind of failure.
    pub reason: Option<String>,
    /// The method of the request.
    pub method: Option<String>,
    /// The number of the attempt that was judged.
    pub attempt: Option<u64>,
    /// The most attempts that the caller allows.
    pub max_attempts: Option<u64>,
    /// The Retry-After of the response; `None` without a response.
    pub retry_after: Option<RetryAfterRead>,
    /// The longest Retry-After that the caller allows.
    pub max_retry_after: Option<Duration>,
    /// The time left until the deadline of the call, if it has one.
    pub remaining: Option<Duration>,
    /// The tokens in the retry budget, if there is one.
    pub tokens: Option<f64>,
}

/// The decision of the client after a failed attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// It waits, and then sends another attempt.
    Wait {
        /// The length of the wait.
        length: Duration,
        /// Whether the server chose its length.
        asked: bool,
        /// The upper bound of a random length.
        ceiling: Option<Duration>,
    },
    /// It returns the failure to the caller.
    Stop {
        /// The reason.
        why: StopReason,
        /// The wait that was considered, if there was one.
        weighed: Option<Duration>,
    },
}

/// A Retry-After as the client read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfterRead {
    /// The response had no Retry-After.
    None,
    /// It asked for this wait.
    Valid(Duration),
    /// It was a date in the past, which asks for no wait.
    PastDate,
    /// It was neither seconds nor a date.
    Unusable,
}

impl Decision {
    /// The decision in a span; none for other spans.
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
            | SpanName::Request
            | SpanName::Crash => return None,
        };
        Some(Self {
            next,
            reason: text(field::RETRY_REASON),
            method: text(field::METHOD),
            attempt: fields.number(field::ATTEMPT),
            max_attempts: fields.number(field::MAX_ATTEMPTS),
            retry_after: retry_after(fields),
            max_retry_after: fields.seconds(field::RETRY_AFTER_MAX),
            remaining: fields.seconds(field::REMAINING),
            tokens: fields.float(field::TOKENS),
        })
    }
}

fn retry_after(fields: &Fields) -> Option<RetryAfterRead> {
    match fields.text(field::RETRY_AFTER)? {
        "none" => Some(RetryAfterRead::None),
        "unusable" => Some(RetryAfterRead::Unusable),
        "past_date" => Some(RetryAfterRead::PastDate),
        // A number of seconds too large to represent counts as the longest duration.
        _ => {
            let seconds = fields.seconds(field::RETRY_AFTER_SECONDS);
            Some(RetryAfterRead::Valid(seconds.unwrap_or(Duration::MAX)))
        }
    }
}

#[cfg(test)]
mod tests;
