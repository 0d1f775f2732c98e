//! The client's settings that a run can vary.

use std::{num::NonZeroU32, ops::RangeInclusive, time::Duration};

use serde::{Serialize, Serializer};

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
    pub fn with(mut self, overrides: &Overrides) -> Self {
        let replace = |setting: &mut u32, value: Option<u32>| *setting = value.unwrap_or(*setting);
        replace(&mut self.max_attempts, overrides.max_attempts);
        replace(&mut self.max_pages, overrides.max_pages);
        replace(&mut self.max_items, overrides.max_items);
        self.backoff = overrides.backoff.unwrap_or(self.backoff);
        self.max_retry_after = overrides.max_retry_after.unwrap_or(self.max_retry_after);
        self
    }
}

/// The settings that a reader has chosen; `None` keeps the scenario's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Replaces [`ScenarioPolicy::max_attempts`].
    pub max_attempts: Option<u32>,
    /// Replaces [`ScenarioPolicy::backoff`].
    pub backoff: Option<Duration>,
    /// Replaces [`ScenarioPolicy::max_retry_after`].
    pub max_retry_after: Option<Duration>,
    /// Replaces [`ScenarioPolicy::max_pages`].
    pub max_pages: Option<u32>,
    /// Replaces [`ScenarioPolicy::max_items`].
    pub max_items: Option<u32>,
}

/// A setting that a reader can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`ScenarioPolicy::max_attempts`].
    MaxAttempts,
    /// [`ScenarioPolicy::backoff`].
    Backoff,
    /// [`ScenarioPolicy::max_retry_after`].
    MaxRetryAfter,
    /// [`ScenarioPolicy::max_pages`].
    MaxPages,
    /// [`ScenarioPolicy::max_items`].
    MaxItems,
}

impl Setting {
    /// Its option of `lab scenario`.
    #[must_use]
    pub fn option(self) -> &'static str {
        match self {
            Self::MaxAttempts => "--max-attempts",
            Self::Backoff => "--backoff",
            Self::MaxRetryAfter => "--max-retry-after",
            Self::MaxPages => "--max-pages",
            Self::MaxItems => "--max-items",
        }
    }

    /// Its field in a request for a run.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::MaxAttempts => "max_attempts",
            Self::Backoff => "backoff_ms",
            Self::MaxRetryAfter => "max_retry_after_seconds",
            Self::MaxPages => "max_pages",
            Self::MaxItems => "max_items",
        }
    }
}

impl Overrides {
    /// The settings that were asked for.
    pub fn settings(&self) -> impl Iterator<Item = Setting> {
        let asked = [
            (self.max_attempts.is_some(), Setting::MaxAttempts),
            (self.backoff.is_some(), Setting::Backoff),
            (self.max_retry_after.is_some(), Setting::MaxRetryAfter),
            (self.max_pages.is_some(), Setting::MaxPages),
            (self.max_items.is_some(), Setting::MaxItems),
        ];
        asked
            .into_iter()
            .filter(|setting| setting.0)
            .map(|setting| setting.1)
    }

    /// No overrides.
    pub const NONE: Self = Self {
        max_attempts: None,
        backoff: None,
        max_retry_after: None,
        max_pages: None,
        max_items: None,
    };

    /// The most attempts, pages or items that a reader may choose: this many pages take
    /// seconds, and the client itself sets no maximum.
    pub const MOST: u32 = 10_000;

    /// The values of [`ScenarioPolicy::backoff`] that a reader may choose, in milliseconds:
    /// below, a backoff is hard to tell from none, and above stands the longest wait.
    pub const BACKOFF_MS: RangeInclusive<u64> = 100..=5_000;

    /// The number of a reader, if it is at most [`Overrides::MOST`].
    ///
    /// # Errors
    ///
    /// [`TooMany`] with the name of the setting.
    pub fn bounded(setting: &'static str, number: NonZeroU32) -> Result<NonZeroU32, TooMany> {
        match number.get() {
            got if got > Self::MOST => Err(TooMany { setting, got }),
            _ => Ok(number),
        }
    }
}

/// A number above the lab's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting} must be at most {most}, got {got}", most = Overrides::MOST)]
pub struct TooMany {
    /// The setting.
    pub setting: &'static str,
    /// The given number.
    pub got: u32,
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
