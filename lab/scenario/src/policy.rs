//! The client's settings that a run can vary, and what every scenario starts from.

use std::time::Duration;

use client::{Backoff, ListingLimits, RetryBudget, Timeouts};
use serde::{Serialize, Serializer};

use crate::Overrides;

/// The limits of a client in a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScenarioPolicy {
    /// The most requests one call may put on the wire.
    pub max_attempts: u32,
    /// The upper bound of the first backoff, which doubles with each retry up to five seconds.
    #[serde(rename = "backoff_seconds", serialize_with = "seconds")]
    pub backoff: Duration,
    /// The longest `Retry-After` that the client waits for.
    #[serde(rename = "max_retry_after_seconds", serialize_with = "seconds")]
    pub max_retry_after: Duration,
    /// The most time for one call, including waits.
    #[serde(rename = "deadline_seconds", serialize_with = "optional_seconds")]
    pub deadline: Option<Duration>,
    /// The capacity of the retry budget, in tokens.
    pub retry_budget: Option<u32>,
    /// The longest time without data from the service.
    #[serde(rename = "read_timeout_seconds", serialize_with = "seconds")]
    pub read_timeout: Duration,
    /// The longest body that is accepted.
    pub max_body_bytes: usize,
    /// The most pages that a listing reads.
    pub max_pages: u32,
    /// The most items that a listing yields.
    pub max_items: u32,
}

/// The client's own defaults.
pub(crate) const DEFAULT_POLICY: ScenarioPolicy = ScenarioPolicy {
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

impl ScenarioPolicy {
    /// The most requests that a call sends if every attempt fails: its attempts, or fewer if
    /// the retry budget runs out.
    #[must_use]
    pub fn most_attempts(&self) -> u32 {
        let budget = self.retry_budget.unwrap_or(u32::MAX);
        self.max_attempts.min(budget.saturating_add(1))
    }

    /// These settings with a reader's overrides.
    #[must_use]
    pub fn with(self, overrides: &Overrides) -> Self {
        let backoff = overrides.backoff_ms.map(Duration::from_millis);
        let longest_wait = overrides.max_retry_after_seconds;
        Self {
            max_attempts: overrides.max_attempts.unwrap_or(self.max_attempts),
            backoff: backoff.unwrap_or(self.backoff),
            max_retry_after: longest_wait.map_or(self.max_retry_after, Duration::from_secs),
            max_pages: overrides.max_pages.unwrap_or(self.max_pages),
            max_items: overrides.max_items.unwrap_or(self.max_items),
            ..self
        }
    }
}

fn seconds<S: Serializer>(length: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(length.as_secs_f64())
}

fn optional_seconds<S: Serializer>(
    length: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match length {
        Some(length) => seconds(length, serializer),
        None => serializer.serialize_none(),
    }
}
