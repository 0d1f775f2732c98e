//! The settings of the retry middleware, and the limits that it shares with a client.

use std::{sync::Arc, time::Duration};

use reqwest_retry::RetryableStrategy;

use super::{
    backoff::Backoff, budget::RetryBudget, concurrency::ConcurrencyLimit, decision::Classifier,
    middleware::RetryMiddleware,
};
use crate::{
    clock::{Clock, SystemClock},
    error::{ConfigError, at_most, not_zero, positive},
    random::{Random, SystemRandom},
    telemetry::{Injector, Metrics, Rules, SharedRecorder},
};

/// The limits of the calls of a client or of a middleware.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The maximum number of requests that one call may send; at least 1.
    pub(crate) max_attempts: u32,
    /// The maximum `Retry-After` that a call waits for; a longer one is returned to the
    /// caller, never shortened.
    pub(crate) max_retry_after: Duration,
    /// The time that one call may take, including attempts and waits.
    pub(crate) deadline: Option<Duration>,
    /// The maximum addition to a `Retry-After`.
    pub(crate) retry_after_spread: Duration,
    /// The maximum body size of a success; at least 1.
    pub(crate) max_body_bytes: usize,
}

/// The maximum of a `Retry-After`, a deadline, a timeout and a spread: a call that may take
/// more than a day belongs in a queue.
pub(crate) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

impl Limits {
    /// 3 attempts, a `Retry-After` of up to 30 s, no deadline, no spread, a body of 8 MiB.
    pub(crate) const DEFAULT: Self = Self {
        max_attempts: 3,
        max_retry_after: Duration::from_secs(30),
        deadline: None,
        retry_after_spread: Duration::ZERO,
        max_body_bytes: 8 * 1024 * 1024,
    };

    /// Checks the rules of all limits.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for the first limit that breaks its rule.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        positive("max_attempts", self.max_attempts)?;
        at_most("max_retry_after", self.max_retry_after, LONGEST)?;
        if let Some(deadline) = self.deadline {
            Deadline::new(deadline)?;
        }
        at_most("retry_after_spread", self.retry_after_spread, LONGEST)?;
        if self.max_body_bytes == 0 {
            return Err(ConfigError::ZeroCount {
                field: "max_body_bytes",
            });
        }
        Ok(())
    }
}

/// The deadline of one call, an extension of its request.
#[derive(Clone, Copy)]
pub(crate) struct Deadline(pub(super) Duration);

impl Deadline {
    /// Longer than zero, at most a day.
    pub(crate) fn new(deadline: Duration) -> Result<Self, ConfigError> {
        not_zero("the deadline", deadline)?;
        at_most("the deadline", deadline, LONGEST)?;
        Ok(Self(deadline))
    }
}

impl RetryMiddleware {
    /// The default rules: [`Backoff`] over the system's clock and randomness, 3 attempts, a
    /// `Retry-After` of up to 30 s, no deadline, no shared budget and no concurrency limit.
    #[must_use]
    pub fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let backoff = Backoff::default_over(Arc::clone(&clock), Arc::new(SystemRandom));
        Self::with_policy(backoff, clock)
    }
}

impl Default for RetryMiddleware {
    fn default() -> Self {
        Self::new()
    }
}

impl<P> RetryMiddleware<P> {
    /// The default rules over a policy of the caller's.
    ///
    /// `clock` measures deadlines, reads HTTP dates and waits. A policy speaks
    /// of times of day, so it should read the same clock.
    #[must_use]
    pub fn with_policy(policy: P, clock: Arc<dyn Clock>) -> Self {
        Self {
            policy,
            strategy: Arc::new(Classifier::default()),
            limits: Limits::DEFAULT,
            budget: None,
            concurrency: None,
            timeouts: None,
            has_no_session: false,
            random: Arc::new(SystemRandom),
            clock,
            metrics: Arc::new(Metrics::default()),
            injector: None,
        }
    }

    /// Registers the metrics with `recorder` rather than the global one.
    #[must_use]
    pub fn recorder(mut self, recorder: SharedRecorder) -> Self {
        self.metrics = Arc::new(Metrics::new(Some(recorder), Rules::default()));
        self
    }

    /// The strategy that says which results are worth another attempt. The default are the
    /// five [`RETRY_STATUSES`](crate::RETRY_STATUSES), and the failures whose kind
    /// [is transient](crate::FailureKind::is_transient).
    #[must_use]
    pub fn strategy(mut self, strategy: impl RetryableStrategy + Send + Sync + 'static) -> Self {
        self.strategy = Arc::new(strategy);
        self
    }

    /// The maximum number of requests that one call may send; at least 1. The default
    /// is 3.
    #[must_use]
    pub fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.limits.max_attempts = max_attempts;
        self
    }

    /// The maximum `Retry-After` that a call waits for; at most a day. A longer one ends the
    /// call immediately: it is neither shortened nor ignored. The default is 30 s.
    #[must_use]
    pub fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.limits.max_retry_after = max_retry_after;
        self
    }

    /// The time that one call may take, including attempts and waits; at most a day.
    ///
    /// A wait that would reach the deadline is not started, and the transport cuts off
    /// an attempt in flight through the timeout of its request. A middleware or a
    /// transport below that takes time of its own must respect this timeout, too.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.limits.deadline = Some(deadline);
        self
    }

    /// The retry budget to share.
    #[must_use]
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The concurrency limit to share.
    #[must_use]
    pub fn concurrency_limit(mut self, limit: ConcurrencyLimit) -> Self {
        self.concurrency = Some(limit);
        self
    }

    /// The maximum body size of a success, in bytes; at least 1. At most 64 KiB are read
    /// of any other response.
    #[must_use]
    pub fn max_body_bytes(mut self, max_body_bytes: usize) -> Self {
        self.limits.max_body_bytes = max_body_bytes;
        self
    }

    /// Adds up to `spread`, at most a day, to every `Retry-After`, drawn from `random`,
    /// so the wait is never shorter than the server's. Without it, many clients that
    /// received the same `Retry-After` would all return in the same second. The
    /// addition does not count towards [`max_retry_after`](Self::max_retry_after). It
    /// counts towards the [`deadline`](Self::deadline), so it may end a call that had
    /// time for the wait alone.
    #[must_use]
    pub fn retry_after_spread(mut self, spread: Duration, random: Arc<dyn Random>) -> Self {
        self.limits.retry_after_spread = spread;
        self.random = random;
        self
    }

    /// Writes each attempt's trace context into its headers.
    #[must_use]
    pub fn injector(mut self, injector: Injector) -> Self {
        self.injector = Some(injector);
        self
    }
}

impl<P> std::fmt::Debug for RetryMiddleware<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetryMiddleware")
            .field("limits", &self.limits)
            .field("budget", &self.budget)
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
    }
}
