//! Sentences that several scenarios share.

use crate::{
    Condition, Sentence, StopReason,
    clients::{NAIVE, RELIABLE},
};

/// About a run of the reference client, if these are true.
pub(super) const fn reliable(conditions: &'static [Condition], text: &'static str) -> Sentence {
    Sentence::of(RELIABLE, conditions, text)
}

/// About a run of the naive client, if these are true.
pub(super) const fn naive(conditions: &'static [Condition], text: &'static str) -> Sentence {
    Sentence::of(NAIVE, conditions, text)
}

/// A call used all its attempts.
pub(super) const NO_ATTEMPT_LEFT: Sentence = reliable(
    &[Condition::GaveUp(StopReason::AttemptsExhausted)],
    "The reliable client used every attempt that it was allowed, and returned the last failure to \
     its caller.",
);

pub(super) const OVER_BUDGET: Sentence = reliable(
    &[Condition::GaveUp(StopReason::RetryAfterOverBudget)],
    "The service asked for a longer wait than the caller allows, so the reliable client stopped at \
     once and reported the wait to its caller.",
);

pub(super) const BUDGET_SPENT: Sentence = reliable(
    &[Condition::GaveUp(StopReason::RetryBudgetEmpty)],
    "The reliable client had attempts left, but the retry budget was spent.",
);

pub(super) const PAGE_LIMIT: Sentence = reliable(
    &[Condition::Problem("page_limit")],
    "The reliable client stopped at its limit of pages, with an error. A listing that was cut \
     short silently would look complete.",
);

pub(super) const ITEM_LIMIT: Sentence = reliable(
    &[Condition::Problem("item_limit")],
    "The reliable client stopped at its limit of items, with an error. A listing that was cut \
     short silently would look complete.",
);

/// A client ignores Retry-After.
pub(super) const HEADER_NOT_READ: Sentence = naive(
    &[Condition::CameEarly],
    "The naive client did not read the header: the service's record counts every retry as early.",
);

/// A client makes up a key inside each attempt.
pub(super) const NEW_KEYS: Sentence = naive(
    &[Condition::IdempotencyKeys(2), Condition::JobsCreated(2)],
    "The naive client made up a new key for each request, so the service created two jobs.",
);
