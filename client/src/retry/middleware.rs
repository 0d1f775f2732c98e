//! The retry middleware: its rules and its configuration.

use std::{sync::Arc, time::Duration};

use reqwest_retry::RetryableStrategy;

use super::{
    backoff::Backoff, budget::RetryBudget, classify::Classifier, concurrency::ConcurrencyLimit,
    limits::Limits,
};
use crate::{
    error::StopReason,
    random::{Random, SystemRandom},
    telemetry::{Injector, Metrics, Rules, SharedRecorder},
    time::{Clock, SystemClock},
    timeouts::Timeouts,
};

/// A report on a call.
///
/// After every call, the middleware adds it to the extensions of the response, or, if
/// there is none, to those of the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryReport {
    /// The number of requests sent by this middleware.
    pub attempts: u32,
    /// The retry rule that forbade another attempt, if one did.
    pub stopped: Option<StopReason>,
    /// The wait in the last response's `Retry-After`, if it was usable.
    pub retry_after: Option<Duration>,
}

/// A [`Middleware`](reqwest_middleware::Middleware) that retries by the rules of this crate.
///
/// A limit that breaks its rule is an error of every call, before anything is sent: a
/// [`ConfigError`](crate::ConfigError) in a [`reqwest_middleware::Error::Middleware`].
///
/// It uses the two traits of `reqwest-retry`: a strategy classifies a result, and the policy
/// `P` offers a wait. It adds features that `reqwest-retry` does not have: the eligible methods, the
/// `Retry-After` limit, a deadline that includes the waits, a retry budget and a
/// concurrency limit shared by all clones, and a body that is read before the decision.
///
/// ```
/// use std::time::Duration;
///
/// use reliable_api_client::RetryMiddleware;
///
/// # reliable_api_client::install_tls_provider();
/// let session = reqwest::Client::builder()
/// #   .tls_certs_only([])
///     .connect_timeout(Duration::from_secs(3))
///     .read_timeout(Duration::from_secs(15));
/// let http = reliable_api_client::without_hidden_requests(session).build()?;
/// let client = reqwest_middleware::ClientBuilder::new(http)
///     .with(RetryMiddleware::new().max_attempts(5))
///     .build();
/// # Ok::<(), reqwest::Error>(())
/// ```
///
/// The body of a success is buffered up to [`max_body_bytes`](Self::max_body_bytes). A
/// request whose body is a stream cannot be sent twice, so it gets one attempt.
///
/// **The `reqwest::Client` must not send extra requests.** By default it follows
/// redirects, including a 307 of a POST, and no middleware sees them: build it with
/// [`without_hidden_requests`](crate::without_hidden_requests).
#[derive(Clone)]
pub struct RetryMiddleware<P = Backoff> {
    pub(crate) policy: P,
    pub(crate) strategy: Arc<dyn RetryableStrategy + Send + Sync>,
    /// Checked at the start of each call, since a middleware has no step that builds it.
    pub(crate) limits: Limits,
    pub(crate) budget: Option<RetryBudget>,
    pub(crate) concurrency: Option<ConcurrencyLimit>,
    /// The timeouts of the session, if known.
    pub(crate) timeouts: Option<Timeouts>,
    pub(crate) has_no_session: bool,
    /// Draws the addition to a `Retry-After`.
    pub(crate) random: Arc<dyn Random>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) injector: Option<Injector>,
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
