//! What can be measured on a run, and how a difference in it is said.

use std::{collections::HashSet, time::Duration};

use super::Aspect;
use crate::{
    duration::duration,
    outcome::Fact,
    run::Run,
    trace::{Span, SpanName, Trace, field},
    wire::WireRequest,
};

/// What a number is measured by, and what is said where it differs: of the
/// naive client's, then of the reliable one's.
pub(super) type Measure = (Aspect, fn(&Run) -> u64, fn(u64, u64) -> String);

/// The statuses that a later attempt may change: those after which the reference
/// client tries again.
const RETRY_STATUSES: [u64; 5] = [429, 500, 502, 503, 504];

/// Every measure, in the order of what it cost the service first.
pub(super) const MEASURES: [Measure; 13] = [
    (
        Aspect::Requests,
        |run| run.wire.total,
        |naive, reliable| format!("cost the service {}", rather(naive, "request", reliable)),
    ),
    (
        Aspect::UnseenAttempts,
        |run| run.counted().saturating_sub(run.wire.total),
        |naive, reliable| {
            let attempts = rather(naive, "attempt", reliable);
            format!("made {attempts} that never reached the service")
        },
    ),
    (
        Aspect::EarlyRequests,
        |run| run.wire.early(),
        |naive, reliable| {
            let requests = rather(naive, "request", reliable);
            format!("sent {requests} before the service's Retry-After allowed it")
        },
    ),
    (
        Aspect::RefusedRequests,
        |run| responded(run, |status| status == 429),
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
            let unasked = run.wire.total.saturating_sub(run.counted());
            unasked.min(responded(run, |status| (300..400).contains(&status)))
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
        |run| run.wire.jobs_created(),
        |naive, reliable| format!("had {} created", rather(naive, "job", reliable)),
    ),
    (
        Aspect::PagesRead,
        |run| {
            let known = |name| run.outcome.fact(name).is_some();
            let listing = known("items") || known("delivered");
            match listing {
                true => responded(run, |status| (200..300).contains(&status)),
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
        Aspect::CallsSucceeded,
        |run| number(run, "succeeded"),
        |naive, reliable| format!("had {} succeed", rather(naive, "call", reliable)),
    ),
];

/// The requests that got a response with such a status.
fn responded(run: &Run, such: impl Fn(u16) -> bool) -> u64 {
    let statuses = run.wire.entries.iter().filter_map(|entry| entry.status);
    statuses.filter(|status| such(*status)).count() as u64
}

fn posts(run: &Run) -> impl Iterator<Item = &WireRequest> {
    let entries = run.wire.entries.iter();
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
    let of_operation = |trace: &Trace, operation: &Span| {
        let children = trace.children_of(operation.id);
        let attempts: Vec<_> = children
            .filter(|span| span.name == SpanName::Attempt)
            .collect();
        // Every attempt but the last was followed by a retry.
        let retried = attempts.split_last().map_or(&[][..], |(_, before)| before);
        let hopeless = retried.iter().filter(|attempt| no_retry_mends(attempt));
        hopeless.count() as u64
    };
    let of_trace = |trace: &Trace| -> u64 {
        let spans = trace.spans.iter();
        let operations = spans.filter(|span| span.name == SpanName::Operation);
        operations
            .map(|operation| of_operation(trace, operation))
            .sum()
    };
    run.traces.iter().map(of_trace).sum()
}

fn no_retry_mends(attempt: &Span) -> bool {
    match attempt.fields.number(field::STATUS) {
        Some(status) => RETRY_STATUSES.iter().all(|candidate| *candidate != status),
        None => attempt.fields.text(field::ERROR_TYPE) == Some("tls"),
    }
}

/// "10 requests rather than 1", "1 retry rather than none".
fn rather(naive: u64, noun: &str, reliable: u64) -> String {
    let number = match naive {
        0 => "no".to_owned(),
        naive => naive.to_string(),
    };
    let noun = match (naive, noun.strip_suffix("ry")) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ries"),
        (_, None) => format!("{noun}s"),
    };
    let reliable = match reliable {
        0 => "none".to_owned(),
        reliable => reliable.to_string(),
    };
    format!("{number} {noun} rather than {reliable}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_nouns_agree() {
        for (naive, noun, reliable, words) in [
            (10, "request", 1, "10 requests rather than 1"),
            (1, "retry", 0, "1 retry rather than none"),
            (9, "retry", 0, "9 retries rather than none"),
            (2, "idempotency key", 1, "2 idempotency keys rather than 1"),
            (0, "page", 2, "no pages rather than 2"),
        ] {
            assert_eq!(rather(naive, noun, reliable), words);
        }
    }
}
