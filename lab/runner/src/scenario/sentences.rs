//! Sentences that several scenarios teach by.

use evidence::{Condition, Sentence, StopReason};

use crate::clients::{NAIVE, RELIABLE};

/// Of a call that was allowed no further attempt.
pub(super) const NO_ATTEMPT_LEFT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::GaveUp(StopReason::AttemptsExhausted)],
    "The reliable client used every attempt that it was allowed, and handed the last failure on \
     to its caller.",
);

/// Of a limit of the policy that came first.
pub(super) const OVER_BUDGET: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::GaveUp(StopReason::RetryAfterOverBudget)],
    "The service asked for a longer wait than the caller allows, so the reliable client stopped at \
     once and handed the wait on.",
);

/// Of a limit of the policy that came first.
pub(super) const BUDGET_SPENT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::GaveUp(StopReason::RetryBudgetEmpty)],
    "The reliable client had attempts left, but the retry budget was spent.",
);

/// Of a limit of the policy that came first.
pub(super) const PAGE_LIMIT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::Problem("page_limit")],
    "The reliable client stopped at its limit of pages, with an error: a listing that was cut \
     short in silence would look complete.",
);

/// Of a limit of the policy that came first.
pub(super) const ITEM_LIMIT: Sentence = Sentence::of(
    RELIABLE,
    &[Condition::Problem("item_limit")],
    "The reliable client stopped at its limit of items, with an error: a listing that was cut \
     short in silence would look complete.",
);

/// Of a client that knows nothing of Retry-After.
pub(super) const HEADER_NOT_READ: Sentence = Sentence::of(
    NAIVE,
    &[Condition::CameEarly],
    "The naive client did not read the header: the service's ledger counts every retry as early.",
);

/// Of a client that makes up a key inside each attempt.
pub(super) const NEW_KEYS: Sentence = Sentence::of(
    NAIVE,
    &[Condition::IdempotencyKeys(2), Condition::JobsCreated(2)],
    "The naive client made up a new key for each request, so the service created two jobs.",
);
