//! The configuration of a client: defaults, rules, and what is built from them.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use http::StatusCode;
use reqwest_middleware::{ClientBuilder, Middleware};
use reqwest_retry::RetryPolicy;
use url::Url;

use crate::{
    api_client::{ApiClient, Inner},
    clock::{Clock, SystemClock},
    error::{ConfigError, at_most, not_zero, positive},
    pagination::ListingLimits,
    random::{Random, SystemRandom},
    retry::{
        Backoff, Classifier, ClientPolicy, ConcurrencyLimit, LONGEST, Limits, RETRY_STATUSES,
        RetryBudget, RetryMiddleware,
    },
    session::{self, NothingBelow, Wire},
    telemetry::{Injector, Metrics, Operation, Rules, SharedRecorder},
    timeouts::Timeouts,
};

/// Configures an [`ApiClient`], or the
/// [client of the teaching service](crate::teaching::ReliableApiClient).
/// The [defaults](crate#defaults) are listed with the crate.
///
/// Nothing is checked before [`build`](Self::build), which names the first rule
/// that is broken.
#[must_use]
pub struct Builder<C = ApiClient> {
    base_url: String,
    session: Option<reqwest::ClientBuilder>,
    middlewares: Vec<Arc<dyn Middleware>>,
    transport: Option<Arc<dyn Middleware>>,
    timeouts: (Duration, Duration),
    attempt_timeout: Option<Duration>,
    limits: Limits,
    retry_statuses: Vec<StatusCode>,
    backoff: (Duration, Duration),
    policy: Option<Arc<dyn RetryPolicy + Send + Sync>>,
    retry_budget: Option<RetryBudget>,
    concurrency_limit: Option<ConcurrencyLimit>,
    max_pages: u32,
    max_items: u32,
    page_size: u32,
    clock: Option<Arc<dyn Clock>>,
    random: Arc<dyn Random>,
    recorder: Option<SharedRecorder>,
    operations: Vec<Operation>,
    injector: Option<Injector>,
    client: PhantomData<fn() -> C>,
}

impl ApiClient {
    /// Starts the configuration of a client for the service at `base_url`.
    pub fn builder(base_url: &str) -> Builder {
        Builder::new(base_url)
    }
}

impl<C: From<ApiClient>> Builder<C> {
    pub(crate) fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            session: None,
            middlewares: Vec::new(),
            transport: None,
            timeouts: (Timeouts::DEFAULT.connect, Timeouts::DEFAULT.read),
            attempt_timeout: None,
            limits: Limits::DEFAULT,
            retry_statuses: RETRY_STATUSES.to_vec(),
            backoff: (Backoff::DEFAULT_BASE, Backoff::DEFAULT_CAP),
            policy: None,
            retry_budget: Some(RetryBudget::default()),
            concurrency_limit: Some(ConcurrencyLimit::default()),
            max_pages: ListingLimits::DEFAULT.max_pages.get(),
            max_items: ListingLimits::DEFAULT.max_items.get(),
            page_size: ListingLimits::DEFAULT.page_size.get(),
            clock: None,
            random: Arc::new(SystemRandom),
            recorder: None,
            operations: Vec::new(),
            injector: None,
            client: PhantomData,
        }
    }

    /// Uses your own session, which keeps its proxies, headers and certificates. The default
    /// session ignores the proxy variables of the environment. Neither reads a netrc file.
    ///
    /// For both, redirects and the retries of `reqwest` are off, and the
    /// [timeouts](Self::timeouts) of this builder replace those of the session.
    pub fn session(mut self, session: reqwest::ClientBuilder) -> Self {
        self.session = Some(session);
        self
    }

    /// Puts a middleware between the retry rules and the transport: it sees
    /// every attempt, and passes it on. Several see it in the order in which they
    /// were added.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middlewares.push(Arc::new(middleware));
        self
    }

    /// Replaces the transport by a middleware that responds from a script, from a model or
    /// over a connection of its own. No session is built then, and a request that the
    /// middleware passes on fails as
    /// [`FailureKind::Request`](crate::FailureKind::Request). To give a
    /// [`session`](Self::session) as well is an error.
    ///
    /// It has to respect the [`Timeouts`] that each request has as an extension, and the
    /// timeout of the request itself, which is set if less time is left.
    pub fn transport(mut self, transport: impl Middleware) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// The timeout pair of every request: the longest time to a connection, and the longest
    /// silence of the server. At most a day each. The time of an attempt as a whole has a
    /// bound as well: see [`attempt_timeout`](Self::attempt_timeout).
    pub fn timeouts(mut self, connect: Duration, read: Duration) -> Self {
        self.timeouts = (connect, read);
        self
    }

    /// The longest time of an attempt, from its start to the end of the response; at most a
    /// day. The default is four times the read timeout, which bounds a response that drips.
    /// Raise it for large downloads: a timeout of a single request can only shorten it.
    pub fn attempt_timeout(mut self, attempt: Duration) -> Self {
        self.attempt_timeout = Some(attempt);
        self
    }

    /// The maximum number of requests that one call may send; at least 1.
    pub fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.limits.max_attempts = max_attempts;
        self
    }

    /// The maximum `Retry-After` that the client waits for; at most a day. A longer one ends
    /// the call immediately: it is neither shortened nor ignored.
    pub fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.limits.max_retry_after = max_retry_after;
        self
    }

    /// Adds up to `spread` to every `Retry-After`, at random: see
    /// [`RetryMiddleware::retry_after_spread`].
    pub fn retry_after_spread(mut self, spread: Duration) -> Self {
        self.limits.retry_after_spread = spread;
        self
    }

    /// The statuses that are worth another attempt, in place of the five
    /// [`RETRY_STATUSES`]. None of the six [`FINAL_STATUSES`](crate::FINAL_STATUSES)
    /// may be among them.
    pub fn retry_statuses(mut self, statuses: impl IntoIterator<Item = StatusCode>) -> Self {
        self.retry_statuses = statuses.into_iter().collect();
        self
    }

    /// The longest first wait, and the longest wait of all: the ceiling starts at
    /// `base` and doubles with each retry up to `cap`, which is at most a day.
    pub fn backoff(mut self, base: Duration, cap: Duration) -> Self {
        self.backoff = (base, cap);
        self
    }

    /// A policy in place of the backoff, such as [`NoWait`](crate::NoWait) or one
    /// of `reqwest-retry`'s. It offers the wait before each retry, or declines.
    /// A `Retry-After` and the other limits still apply.
    pub fn policy(mut self, policy: impl RetryPolicy + Send + Sync + 'static) -> Self {
        self.policy = Some(Arc::new(policy));
        self
    }

    /// The time one call may take, attempts and waits together, or `None`; see
    /// [`RetryMiddleware::deadline`]. That of one call is set by
    /// [`RequestBuilder::deadline`](crate::RequestBuilder::deadline).
    pub fn deadline(mut self, deadline: impl Into<Option<Duration>>) -> Self {
        self.limits.deadline = deadline.into();
        self
    }

    /// The retry budget, shared by all clones and by every other client that it
    /// is handed to; `None` for no budget.
    pub fn retry_budget(mut self, budget: impl Into<Option<RetryBudget>>) -> Self {
        self.retry_budget = budget.into();
        self
    }

    /// The limit on attempts in flight, shared by all clones and by every other
    /// client that it is handed to; `None` for no limit.
    pub fn concurrency_limit(mut self, limit: impl Into<Option<ConcurrencyLimit>>) -> Self {
        self.concurrency_limit = limit.into();
        self
    }

    /// The maximum body size of a success, in bytes; at least 1. At most 64 KiB are read
    /// of any other response.
    pub fn max_body_bytes(mut self, max_body_bytes: usize) -> Self {
        self.limits.max_body_bytes = max_body_bytes;
        self
    }

    /// The maximum number of pages that a listing reads; at least 1.
    pub fn max_pages(mut self, max_pages: u32) -> Self {
        self.max_pages = max_pages;
        self
    }

    /// The maximum number of items that a listing read item by item yields; at least 1.
    pub fn max_items(mut self, max_items: u32) -> Self {
        self.max_items = max_items;
        self
    }

    /// The number of items to request per page, at least 1. It is sent as `limit`.
    pub fn page_size(mut self, page_size: u32) -> Self {
        self.page_size = page_size;
        self
    }

    /// The clock that measures, reads dates and waits.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The random source of jitter and generated keys.
    pub fn random(mut self, random: Arc<dyn Random>) -> Self {
        self.random = random;
        self
    }

    /// Registers the metrics with `recorder` rather than the global one.
    pub fn recorder(mut self, recorder: SharedRecorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Registers the counters of these operations at zero before their first event. Several
    /// calls add up. [`telemetry`](crate::telemetry) says why it matters.
    pub fn operations(mut self, operations: impl IntoIterator<Item = Operation>) -> Self {
        self.operations.extend(operations);
        self
    }

    /// Writes each attempt's trace context into its headers.
    pub fn injector(mut self, injector: Injector) -> Self {
        self.injector = Some(injector);
        self
    }

    fn checked_timeouts(&self) -> Result<Timeouts, ConfigError> {
        let (connect, read) = self.timeouts;
        let mut timeouts = Timeouts::new(connect, read);
        timeouts.attempt = self
            .attempt_timeout
            .unwrap_or(timeouts.attempt.min(LONGEST));
        for (field, timeout) in [
            ("the connect timeout", connect),
            ("the read timeout", read),
            ("the attempt timeout", timeouts.attempt),
        ] {
            not_zero(field, timeout)?;
            at_most(field, timeout, LONGEST)?;
        }
        Ok(timeouts)
    }

    fn new_metrics(&self) -> Metrics {
        let rules = Rules {
            retry_statuses: self.retry_statuses.clone(),
            retry_budget: self.retry_budget.is_some(),
            concurrency_limit: self.concurrency_limit.is_some(),
        };
        let metrics = Metrics::new(self.recorder.clone(), rules);
        for operation in &self.operations {
            metrics.announce(operation);
        }
        metrics
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// The first rule of [`ConfigError`] that a setting breaks.
    pub fn build(self) -> Result<C, ConfigError> {
        let base_url = parsed_base_url(&self.base_url)?;
        let limits = ListingLimits {
            max_pages: positive("max_pages", self.max_pages)?,
            max_items: positive("max_items", self.max_items)?,
            page_size: positive("page_size", self.page_size)?,
        };
        self.limits.check()?;
        let timeouts = self.checked_timeouts()?;
        let classifier = Classifier::new(self.retry_statuses.iter().copied())?;
        let clock = self.clock.clone();
        let clock = clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        let (base, cap) = self.backoff;
        let backoff = Backoff::new(base, cap, Arc::clone(&clock), Arc::clone(&self.random))?;
        let metrics = Arc::new(self.new_metrics());

        let session = match (&self.transport, self.session) {
            (Some(_), Some(_)) => return Err(ConfigError::SessionAndTransport),
            (Some(_), None) => session::unused()?,
            (None, given) => session::build(given, &base_url, timeouts)?,
        };
        let retries = RetryMiddleware {
            policy: self
                .policy
                .map_or(ClientPolicy::Backoff(backoff), ClientPolicy::Given),
            strategy: Arc::new(classifier),
            limits: self.limits,
            budget: self.retry_budget,
            concurrency: self.concurrency_limit,
            timeouts: Some(timeouts),
            has_no_session: self.transport.is_some(),
            random: Arc::clone(&self.random),
            clock: Arc::clone(&clock),
            metrics: Arc::clone(&metrics),
            injector: self.injector,
        };
        let mut http = ClientBuilder::new(session).with(retries);
        for middleware in self.middlewares {
            http = http.with_arc(middleware);
        }
        if let Some(transport) = self.transport {
            http = http.with_arc(transport).with(NothingBelow);
        } else if let Some(clock) = self.clock {
            // The clock of the machine is never held, so only another one needs this hop.
            http = http.with(Wire(clock));
        }
        let inner = Inner {
            http: http.build(),
            base_url,
            timeouts,
            limits,
            metrics,
            clock,
            random: self.random,
        };
        let client = ApiClient {
            inner: Arc::new(inner),
        };
        Ok(client.into())
    }
}

/// Parses a base URL: `http` or `https`, without credentials, query and fragment.
/// Its path stays, as a prefix.
fn parsed_base_url(text: &str) -> Result<Url, ConfigError> {
    let url = Url::parse(text).map_err(ConfigError::BaseUrl)?;
    let part = |part, why| Err(ConfigError::BaseUrlPart { part, why });
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ConfigError::BaseUrlScheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return part(
            "user name or password",
            "a credential in a URL ends up in logs; send it as a header of the session",
        );
    }
    if url.query().is_some() {
        return part("query", "each endpoint has its own");
    }
    if url.fragment().is_some() {
        return part("fragment", "it is never sent");
    }
    Ok(url)
}

/// Written by hand: a session prints its headers, the base URL may hold a
/// password that `build` would refuse.
impl<C> fmt::Debug for Builder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("timeouts", &self.timeouts)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
