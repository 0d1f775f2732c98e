//! The settings that every scenario starts from.

use std::time::Duration;

use client::{Backoff, ListingLimits, RetryBudget, Timeouts};

use crate::ScenarioPolicy;

/// The client's own defaults.
pub const DEFAULT_POLICY: ScenarioPolicy = ScenarioPolicy {
    max_attempts: 3,
    backoff: Backoff::DEFAULT_BASE,
    max_retry_after: Duration::from_secs(30),
    deadline: None,
    retry_budget: Some(RetryBudget::DEFAULT_CAPACITY),
    read_timeout: Timeouts::DEFAULT.read,
    max_body_bytes: 8 * 1024 * 1024,
    max_pages: ListingLimits::DEFAULT.max_pages.get(),
    max_items: ListingLimits::DEFAULT.max_items.get(),
};
