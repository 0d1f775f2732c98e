//! Two runs of one scenario, by the reliable client and by the naive one, and
//! what differs between them.
//!
//! Every difference is measured on the two runs. Nothing is known here of what
//! a scenario is about, and where the two came to the same, nothing is said.

use std::{collections::HashSet, time::Duration};

use client::{FailureKind, RETRY_STATUSES};
use serde::Serialize;
use server::LedgerEntry;

use crate::{
    outcome::{Ending, Fact},
    render::duration,
    run::Run,
    trace::{Span, SpanName, Trace, field},
};

/// One scenario, played by both clients with one seed.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The run of the reference client.
    pub reliable: Run,
    /// The run of what people first write.
    pub naive: Run,
    /// What differs.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Compares two runs.
    #[must_use]
    pub fn of(reliable: Run, naive: Run) -> Self {
        Self {
            differences: differences(&reliable, &naive),
            reliable,
            naive,
        }
    }
}

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What was measured.
    pub aspect: Aspect,
    /// What it came to with the reliable client.
    pub reliable: Fact,
    /// What it came to with the naive one.
    pub naive: Fact,
    /// The difference in words: the rest of a sentence that begins with "the
    /// naive client".
    pub text: String,
}

/// What can differ, what it cost the service first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Requests that the service saw.
    Requests,
    /// Attempts that never reached it.
    UnseenAttempts,
    /// Requests that came before a Retry-After allowed.
    EarlyRequests,
    /// Requests that were refused with 429.
    RefusedRequests,
    /// Retries of what no retry mends: an answer that is no retry candidate, or
    /// a failed TLS handshake.
    HopelessRetries,
    /// The time waited before retries, in milliseconds.
    WaitedMilliseconds,
    /// Redirects that were followed.
    RedirectsFollowed,
    /// POST requests that the service saw.
    PostRequests,
    /// Idempotency keys that the service saw.
    IdempotencyKeys,
    /// Jobs that the service created.
    JobsCreated,
    /// Pages of a listing that were answered with a success.
    PagesRead,
    /// Records that were handed on, duplicates included.
    RecordsDelivered,
    /// Calls of many that were answered.
    CallsAnswered,
    /// Whether an answer that the reliable client refused was taken for data.
    UntrustedDataTaken,
    /// How it ended.
    Outcome,
}

/// What a number is measured by, and what is said where it differs: of the
/// naive client's, then of the reliable one's.
type Measure = (Aspect, fn(&Run) -> u64, fn(u64, u64) -> String);

const MEASURES: [Measure; 13] = [
    (
        Aspect::Requests,
        |run| run.ledger.total,
        |naive, reliable| format!("cost the service {}", rather(naive, "request", reliable)),
    ),
    (
        Aspect::UnseenAttempts,
        |run| run.counted().saturating_sub(run.ledger.total),
        |naive, reliable| {
            let attempts = rather(naive, "attempt", reliable);
            format!("made {attempts} that never reached the service")
        },
    ),
    (
        Aspect::EarlyRequests,
        |run| run.ledger.routes.values().map(|route| route.early).sum(),
        |naive, reliable| {
            let requests = rather(naive, "request", reliable);
            format!("sent {requests} before the service's Retry-After allowed it")
        },
    ),
    (
        Aspect::RefusedRequests,
        |run| answered(run, |status| status == 429),
        |naive, reliable| {
            let requests = rather(naive, "request", reliable);
            format!("had {requests} refused with 429")
        },
    ),
    (
        Aspect::HopelessRetries,
        hopeless_retries,
        |naive, reliable| {
            let retries = rather(naive, "retry", reliable);
            format!("made {retries} where no retry could change the result")
        },
    ),
    (
        Aspect::WaitedMilliseconds,
        |run| {
            let waits = spans(run).filter_map(|span| span.fields.seconds(field::WAIT_SECONDS));
            let all: Duration = waits.sum();
            u64::try_from(all.as_millis()).unwrap_or(u64::MAX)
        },
        |naive, reliable| {
            let [naive, reliable] = [naive, reliable].map(Duration::from_millis);
            format!(
                "waited {} rather than {} before its retries",
                duration(naive),
                duration(reliable)
            )
        },
    ),
    (
        Aspect::RedirectsFollowed,
        |run| {
            // What the client did not count itself, its library sent.
            let unasked = run.ledger.total.saturating_sub(run.counted());
            unasked.min(answered(run, |status| (300..400).contains(&status)))
        },
        |naive, reliable| {
            let redirects = rather(naive, "redirect", reliable);
            format!("followed {redirects}, wherever it led")
        },
    ),
    (
        Aspect::PostRequests,
        |run| posts(run).count() as u64,
        |naive, reliable| {
            let requests = rather(naive, "POST request", reliable);
            format!("sent {requests}, each of which may have taken effect")
        },
    ),
    (
        Aspect::IdempotencyKeys,
        |run| {
            let keys: HashSet<_> = posts(run)
                .filter_map(|entry| entry.idempotency_key)
                .collect();
            keys.len() as u64
        },
        |naive, reliable| {
            let keys = rather(naive, "idempotency key", reliable);
            format!("used {keys}, each a new intention to the service")
        },
    ),
    (
        Aspect::JobsCreated,
        |run| {
            run.counters
                .labelled("service_jobs_total", "result", "created")
        },
        |naive, reliable| format!("had {} created", rather(naive, "job", reliable)),
    ),
    (
        Aspect::PagesRead,
        |run| {
            let known = |name| run.outcome.fact(name).is_some();
            let listing = known("items") || known("delivered");
            match listing {
                true => answered(run, |status| (200..300).contains(&status)),
                false => 0,
            }
        },
        |naive, reliable| format!("read {}", rather(naive, "page", reliable)),
    ),
    (
        Aspect::RecordsDelivered,
        |run| number(run, "delivered"),
        |naive, reliable| {
            let records = rather(naive, "record", reliable);
            format!("handed on {records}, duplicates included")
        },
    ),
    (
        Aspect::CallsAnswered,
        |run| number(run, "answered"),
        |naive, reliable| format!("had {} answered", rather(naive, "call", reliable)),
    ),
];

/// What differs between two runs of one scenario.
#[must_use]
pub fn differences(reliable: &Run, naive: &Run) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (aspect, of, text) in MEASURES {
        let (one, other) = (of(reliable), of(naive));
        if one != other {
            differences.push(Difference {
                aspect,
                reliable: one.into(),
                naive: other.into(),
                text: text(other, one),
            });
        }
    }
    if let Some(problem) = refused(reliable)
        && naive.outcome.ending == Ending::Ok
    {
        differences.push(Difference {
            aspect: Aspect::UntrustedDataTaken,
            reliable: false.into(),
            naive: true.into(),
            text: format!("took for data what the reliable client refused ({problem})"),
        });
    }
    let [one, other] = [reliable, naive].map(|run| run.outcome.ending);
    if one != other {
        differences.push(Difference {
            aspect: Aspect::Outcome,
            reliable: Fact::Name(one.to_string()),
            naive: Fact::Name(other.to_string()),
            text: format!("ended with: {other}, rather than with: {one}"),
        });
    }
    differences
}

/// What was wrong with a complete answer that a client refused to use.
fn refused(run: &Run) -> Option<&Fact> {
    let too_large = Fact::from(FailureKind::BodyTooLarge.as_str());
    run.outcome
        .fact("problem")
        .filter(|problem| run.outcome.ending == Ending::ResponseError || **problem == too_large)
}

/// The requests that the service answered with such a status.
fn answered(run: &Run, such: impl Fn(u16) -> bool) -> u64 {
    let statuses = run.ledger.entries.iter().filter_map(|entry| entry.status);
    statuses.filter(|status| such(*status)).count() as u64
}

fn posts(run: &Run) -> impl Iterator<Item = &LedgerEntry> {
    let entries = run.ledger.entries.iter();
    entries.filter(|entry| entry.method == "POST")
}

fn number(run: &Run, name: &str) -> u64 {
    match run.outcome.fact(name) {
        Some(Fact::Number(number)) => *number,
        _ => 0,
    }
}

fn spans(run: &Run) -> impl Iterator<Item = &Span> {
    run.traces.iter().flat_map(|trace| &trace.spans)
}

fn hopeless_retries(run: &Run) -> u64 {
    let of_trace = |trace: &Trace| -> usize {
        let operations = trace.spans.iter();
        let operations = operations.filter(|span| span.name == SpanName::Operation);
        operations
            .map(|operation| {
                let attempts = trace.children_of(operation.id);
                let attempts: Vec<_> = attempts
                    .filter(|span| span.name == SpanName::Attempt)
                    .collect();
                let retried = attempts.split_last().map_or(&[][..], |(_, before)| before);
                retried
                    .iter()
                    .filter(|attempt| no_retry_mends(attempt))
                    .count()
            })
            .sum()
    };
    run.traces.iter().map(of_trace).sum::<usize>() as u64
}

fn no_retry_mends(attempt: &Span) -> bool {
    match attempt.fields.number(field::STATUS) {
        Some(status) => RETRY_STATUSES
            .iter()
            .all(|candidate| u64::from(candidate.as_u16()) != status),
        None => attempt.fields.text(field::ERROR_TYPE) == Some(FailureKind::Tls.as_str()),
    }
}

/// "10 requests rather than 1", "1 retry rather than none".
fn rather(naive: u64, noun: &str, reliable: u64) -> String {
    let number = |number| match number {
        0 => "no".to_owned(),
        number => u64::to_string(&number),
    };
    let noun = match (naive, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) if !noun.ends_with("ey") => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    let reliable = match reliable {
        0 => "none".to_owned(),
        reliable => reliable.to_string(),
    };
    format!("{} {noun} rather than {reliable}", number(naive))
}
