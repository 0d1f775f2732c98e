//! A [`RetryMiddleware`] on a stack of the caller's own: its defaults, and where it
//! reports to.

use std::sync::Arc;

use crate::{
    random::SystemRandom,
    retry::{Backoff, Classifier, RetryMiddleware},
    telemetry::{Metrics, Rules, SharedRecorder},
    time::{Clock, SystemClock},
};

impl RetryMiddleware {
    /// The default rules: [`Backoff`] over the system's clock and randomness,
    /// the [`Classifier`] of this crate, 3 attempts, a `Retry-After` of up to
    /// 30 s, no deadline, no shared budget and no concurrency limit.
    #[must_use]
    pub fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let backoff = Backoff::default_over(Arc::clone(&clock), Arc::new(SystemRandom));
        Self::with_policy(backoff, Classifier::default(), clock)
    }
}

impl Default for RetryMiddleware {
    fn default() -> Self {
        Self::new()
    }
}

impl<P, S> RetryMiddleware<P, S> {
    /// The default rules over a policy and a strategy of the caller's.
    ///
    /// `clock` measures deadlines, reads HTTP dates and waits. A policy speaks
    /// of times of day, so it should read the same clock.
    #[must_use]
    pub fn with_policy(policy: P, strategy: S, clock: Arc<dyn Clock>) -> Self {
        let observer = Arc::new(Metrics::new(None, Rules::default()));
        Self::observed(policy, strategy, clock, observer)
    }

    /// Registers the metrics with `recorder` rather than the global one.
    #[must_use]
    pub fn recorder(mut self, recorder: SharedRecorder) -> Self {
        self.observer = Arc::new(Metrics::new(Some(recorder), Rules::default()));
        self
    }
}
