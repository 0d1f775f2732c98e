//! The settings of a run, put into a client.

use std::time::Duration;

use client::{Backoff, Builder, ListingLimits, RetryBudget, Timeouts};
use evidence::Policy;

/// The client's own defaults.
pub const DEFAULT_POLICY: Policy = Policy {
    max_attempts: 3,
    max_retry_after: Duration::from_secs(30),
    deadline: None,
    retry_budget: Some(RetryBudget::DEFAULT_CAPACITY),
    read_timeout: Timeouts::DEFAULT.read,
    max_body_bytes: 8 * 1024 * 1024,
    max_pages: ListingLimits::DEFAULT.max_pages.get(),
    max_items: ListingLimits::DEFAULT.max_items.get(),
};

/// The ceilings of the first and of every wait of the client's backoff.
pub(crate) const BACKOFF: (Duration, Duration) = (Backoff::DEFAULT_BASE, Backoff::DEFAULT_CAP);

/// Puts the settings into the configuration of a client.
pub(crate) fn configure(policy: &Policy, builder: Builder) -> Builder {
    let (base, cap) = BACKOFF;
    builder
        .max_attempts(policy.max_attempts)
        .max_retry_after(policy.max_retry_after)
        .deadline(policy.deadline)
        .retry_budget(policy.retry_budget.map(RetryBudget::new))
        .timeouts(Timeouts::DEFAULT.connect, policy.read_timeout)
        .max_body_bytes(policy.max_body_bytes)
        .max_pages(policy.max_pages)
        .max_items(policy.max_items)
        .backoff(base, cap)
}
