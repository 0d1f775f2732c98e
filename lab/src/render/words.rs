//! Words about a run that every rendering uses alike.

use client::telemetry::{ATTEMPTS, CURSOR_LOOPS, GIVE_UPS, Metric, RETRIES};

use super::duration;
use crate::{
    player::{Client, NAIVE_ATTEMPTS},
    policy::Policy,
    run::{Pace, Run},
    scenario::Scenario,
};

/// The counters that every run shows, moved or not.
const HEADLINES: [Metric; 4] = [ATTEMPTS, RETRIES, GIVE_UPS, CURSOR_LOOPS];

/// What stands in the place of the verdict on a run that was cancelled.
pub(super) const NOT_JUDGED: &str = "cancelled before its end, so nothing is judged";

/// The counters that every run of this client shows, moved or not.
pub(super) fn headlines(client: Client) -> &'static [Metric] {
    match client {
        Client::Reliable => &HEADLINES,
        // It has no limit to give up at, and no history to see a loop in.
        Client::Naive => &HEADLINES[..2],
    }
}

/// How the client works, term by term.
pub(crate) fn terms(
    scenario: &Scenario,
    client: Client,
    policy: &Policy,
    ascii: bool,
) -> Vec<String> {
    match client {
        Client::Reliable => allowances(scenario, policy, ascii),
        Client::Naive => vec![scenario.request.to_owned(), naive_terms()],
    }
}

/// What each side counted.
pub(super) fn wire(run: &Run) -> String {
    format!(
        "the service saw {}; the client counted {}",
        requests(run.ledger.total),
        run.counted()
    )
}

/// Whether the waits were real.
pub(super) fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Real => "real time",
        Pace::Virtual => "virtual time: the waits are drawn, not waited for",
    }
}

/// How a client works that knows no policy.
pub(super) fn naive_terms() -> String {
    format!("what people first write: up to {NAIVE_ATTEMPTS} attempts, no waits")
}

/// What the client was allowed, term by term.
fn allowances(scenario: &Scenario, policy: &Policy, ascii: bool) -> Vec<String> {
    let (base, cap) = Policy::BACKOFF;
    let to = if ascii { "-" } else { "–" };
    let mut terms = vec![
        scenario.request.to_owned(),
        match policy.max_attempts {
            1 => "1 attempt".to_owned(),
            attempts => format!("up to {attempts} attempts"),
        },
        format!(
            "backoff {}{to}{}, full jitter",
            duration(base),
            duration(cap)
        ),
        format!("Retry-After up to {}", duration(policy.max_retry_after)),
    ];
    if let Some(deadline) = policy.deadline {
        terms.push(format!("deadline {}", duration(deadline)));
    }
    if policy.read_timeout != Policy::DEFAULT.read_timeout {
        terms.push(format!("read timeout {}", duration(policy.read_timeout)));
    }
    if policy.max_body_bytes != Policy::DEFAULT.max_body_bytes {
        terms.push(format!("body up to {} bytes", policy.max_body_bytes));
    }
    match policy.retry_budget {
        Some(tokens) if policy.retry_budget != Policy::DEFAULT.retry_budget => {
            terms.push(format!("retry budget {tokens}"));
        }
        _ => {}
    }
    if scenario.listing {
        terms.push(format!(
            "at most {} pages, {} items",
            policy.max_pages, policy.max_items
        ));
    }
    terms
}

fn requests(number: u64) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} request{plural}")
}

/// By how much a counter rose.
pub(super) fn risen(by: u64) -> String {
    match by {
        0 => "0".to_owned(),
        by => format!("+{by}"),
    }
}
