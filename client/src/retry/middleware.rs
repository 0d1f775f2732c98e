//! The retry middleware: its rules, and how it is configured.

use std::{sync::Arc, time::Duration};

use super::{
    backoff::Backoff,
    body::DEFAULT_MAX_BODY_BYTES,
    budget::RetryBudget,
    call_settings::CallSettings,
    classify::Classifier,
    concurrency::ConcurrencyLimit,
    decision::StopReason,
    observer::{Injector, Observer},
};
use crate::{
    error::{ConfigError, at_most},
    random::Random,
    time::Clock,
    timeouts::Timeouts,
};

/// How a call went.
///
/// The middleware puts one into the request's extensions, success or not, and
/// into those of the response if there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryReport {
    /// Requests put on the wire by this middleware.
    pub attempts: u32,
    /// What forbade another attempt, if a retry rule did.
    pub stopped: Option<StopReason>,
    /// What the last response's `Retry-After` asked for, if it could be followed.
    pub retry_after: Option<Duration>,
}

/// A [`Middleware`](reqwest_middleware::Middleware) that retries by the rules of this crate.
///
/// It stands on the two seams of `reqwest-retry`: `S` classifies a result, `P`
/// offers a wait. In between is what `reqwest-retry` leaves out: the eligible
/// methods, the `Retry-After` budget, a deadline that counts the waits, a retry
/// budget and a concurrency limit shared by all clones, and a body that is read
/// before the decision.
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
/// The body of a success is buffered up to
/// [`max_body_bytes`](Self::max_body_bytes). A request whose own body is a stream
/// cannot be sent twice, and gets one attempt.
///
/// **The session below must not send requests of its own.** A default
/// `reqwest::Client` follows redirects, a 307 of a POST included, and no
/// middleware sees it: build the session with
/// [`without_hidden_requests`](crate::without_hidden_requests).
#[derive(Clone)]
pub struct RetryMiddleware<P = Backoff, S = Classifier> {
    pub(super) policy: P,
    pub(super) strategy: S,
    pub(super) settings: CallSettings,
    pub(super) budget: Option<RetryBudget>,
    pub(super) concurrency: Option<ConcurrencyLimit>,
    /// Those of the session below, as far as they are known.
    pub(super) timeouts: Option<Timeouts>,
    pub(super) has_no_session: bool,
    pub(super) max_body_bytes: usize,
    pub(super) spread: Option<(Duration, Arc<dyn Random>)>,
    pub(super) correct_dates: bool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) injector: Option<Injector>,
}

impl<P, S> RetryMiddleware<P, S> {
    pub(crate) fn observed(
        policy: P,
        strategy: S,
        clock: Arc<dyn Clock>,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self {
            policy,
            strategy,
            settings: CallSettings::new(),
            budget: None,
            concurrency: None,
            timeouts: None,
            has_no_session: false,
            max_body_bytes: DEFAULT_MAX_BODY_BYTES,
            spread: None,
            correct_dates: false,
            clock,
            observer,
            injector: None,
        }
    }

    /// The most requests one call may put on the wire; at least 1. The default is 3.
    #[must_use]
    pub fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.settings = self.settings.max_attempts(max_attempts);
        self
    }

    /// The longest `Retry-After` that is waited for; at most a day. A longer one ends
    /// the call at once: it is neither shortened nor ignored.
    #[must_use]
    pub fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.settings = self.settings.max_retry_after(max_retry_after);
        self
    }

    /// The time one call may take, its attempts and waits together; at most a day.
    ///
    /// A wait that would reach it is not begun, and an attempt in flight is cut
    /// off by the transport, by the timeout of its request. A middleware below that
    /// takes time of its own has to keep to that, too.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings = self.settings.deadline(deadline);
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

    /// The longest body of a success that is accepted, in bytes. Of any other
    /// response at most 64 KiB are read.
    #[must_use]
    pub fn max_body_bytes(mut self, max_body_bytes: usize) -> Self {
        self.max_body_bytes = max_body_bytes;
        self
    }

    /// Adds up to `spread`, at most a day, to every `Retry-After`, drawn from `random`;
    /// never less than what the server asked for. Many clients that were told the same
    /// second would all come back in it. The addition is no part of what
    /// [`max_retry_after`](Self::max_retry_after) allows. It counts towards the
    /// [`deadline`](Self::deadline), and may so end a call that had time for the wait
    /// alone.
    #[must_use]
    pub fn retry_after_spread(mut self, spread: Duration, random: Arc<dyn Random>) -> Self {
        self.spread = Some((spread, random));
        self
    }

    /// Whether a `Retry-After` that is a date is also measured from the `Date`
    /// of its response (RFC 9110 §6.6.1), the longer of the two waits counting:
    /// so a client whose clock is fast does not come early. The default is to
    /// trust the clock.
    #[must_use]
    pub fn correct_dates(mut self, correct_dates: bool) -> Self {
        self.correct_dates = correct_dates;
        self
    }

    /// Writes each attempt's trace context into its headers.
    #[must_use]
    pub fn injector(mut self, injector: Injector) -> Self {
        self.injector = Some(injector);
        self
    }

    /// What one call may take, unless a nearer place says otherwise.
    pub(crate) fn settings(mut self, settings: CallSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Has every request carry the pair of the session below, unless it brings another.
    pub(crate) fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = Some(timeouts);
        self
    }

    /// Whether a transport that was handed in stands in the place of a session.
    pub(crate) fn has_no_session(mut self, has_no_session: bool) -> Self {
        self.has_no_session = has_no_session;
        self
    }

    /// Who listens.
    pub(crate) fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Whether the settings of all calls are legal.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if let Some((spread, _)) = self.spread {
            at_most("retry_after_spread", spread, CallSettings::LONGEST)?;
        }
        self.settings.limits().map(drop)
    }
}

impl<P, S> std::fmt::Debug for RetryMiddleware<P, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetryMiddleware")
            .field("settings", &self.settings)
            .field("budget", &self.budget)
            .field("concurrency", &self.concurrency)
            .field("max_body_bytes", &self.max_body_bytes)
            .finish_non_exhaustive()
    }
}
