//! How a client works, and what it is allowed, in words.

use evidence::{Client, Policy, duration};

use super::{RELIABLE, naive::ATTEMPTS as MOST_ATTEMPTS};
use crate::{
    policy::{BACKOFF, DEFAULT_POLICY},
    scenario::Scenario,
};

/// How the client works, term by term.
pub(crate) fn terms(scenario: &Scenario, client: Client, policy: &Policy) -> Vec<String> {
    match client {
        RELIABLE => allowances(scenario, policy),
        _ => vec![scenario.words.request.to_owned(), naive_terms()],
    }
}

/// How a client works that knows no policy.
fn naive_terms() -> String {
    format!("what people first write: up to {MOST_ATTEMPTS} attempts, no waits")
}

/// What the client was allowed, term by term.
fn allowances(scenario: &Scenario, policy: &Policy) -> Vec<String> {
    let (base, cap) = BACKOFF;
    let mut terms = vec![
        scenario.words.request.to_owned(),
        match policy.max_attempts {
            1 => "1 attempt".to_owned(),
            attempts => format!("up to {attempts} attempts"),
        },
        format!("backoff {}–{}, full jitter", duration(base), duration(cap)),
        format!("Retry-After up to {}", duration(policy.max_retry_after)),
    ];
    if let Some(deadline) = policy.deadline {
        terms.push(format!("deadline {}", duration(deadline)));
    }
    if policy.read_timeout != DEFAULT_POLICY.read_timeout {
        terms.push(format!("read timeout {}", duration(policy.read_timeout)));
    }
    if policy.max_body_bytes != DEFAULT_POLICY.max_body_bytes {
        terms.push(format!("body up to {} bytes", policy.max_body_bytes));
    }
    match policy.retry_budget {
        Some(tokens) if policy.retry_budget != DEFAULT_POLICY.retry_budget => {
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
