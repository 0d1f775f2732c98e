//! A [`RetryMiddleware`] on a stack of the caller's own: its defaults, and where it
//! reports to.

use std::sync::Arc;

use crate::{
    random::SystemRandom,
    retry::{Backoff, Classifier, Limits, RetryMiddleware},
    telemetry::{Metrics, Rules, SharedRecorder},
    time::{Clock, SystemClock},
};

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
}
