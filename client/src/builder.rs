//! The configuration of a client: defaults, rules, and what is built from them.

use std::{fmt, sync::Arc, time::Duration};

use reqwest_middleware::{ClientBuilder, Middleware};
use url::Url;

use crate::{
    api::{Inner, ReliableApiClient},
    endpoint::Endpoint,
    error::ConfigError,
    pagination::ListingLimits,
    positive::positive,
    retry::{
        Backoff, Classifier, ConcurrencyLimit, DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_BODY_BYTES,
        DEFAULT_MAX_RETRY_AFTER, RetryBudget, RetryMiddleware,
    },
    telemetry::{Injector, Metrics, SharedRecorder},
    time::{Clock, Random, SystemClock, SystemRandom},
    timeouts::Timeouts,
    tls::install_tls_provider,
};

/// Configures a [`ReliableApiClient`].
///
/// | setting | default |
/// |---|---|
/// | [`timeouts`](Self::timeouts) | 3.05 s connect, 15 s read |
/// | [`max_attempts`](Self::max_attempts) | 3 |
/// | [`max_retry_after`](Self::max_retry_after) | 30 s |
/// | [`backoff`](Self::backoff) | 200 ms, doubling to 5 s, full jitter |
/// | [`deadline`](Self::deadline) | none |
/// | [`retry_budget`](Self::retry_budget) | 10 tokens |
/// | [`max_concurrency`](Self::max_concurrency) | 64 |
/// | [`max_body_bytes`](Self::max_body_bytes) | 8 MiB |
/// | [`max_pages`](Self::max_pages), [`max_items`](Self::max_items) | 100, 1000 |
/// | [`page_size`](Self::page_size) | 50 |
///
/// Nothing is checked before [`build`](Self::build), which names the first rule
/// that is broken.
#[must_use]
pub struct Builder {
    base_url: String,
    session: Option<reqwest::ClientBuilder>,
    transport: Option<Arc<dyn Middleware>>,
    timeouts: Timeouts,
    max_attempts: u32,
    max_retry_after: Duration,
    backoff: (Duration, Duration),
    deadline: Option<Duration>,
    retry_budget: Option<u32>,
    max_concurrency: u32,
    max_body_bytes: usize,
    max_pages: u32,
    max_items: u32,
    page_size: u32,
    clock: Option<Arc<dyn Clock>>,
    random: Arc<dyn Random>,
    recorder: Option<SharedRecorder>,
    injector: Option<Injector>,
    name: &'static str,
}

impl Builder {
    /// The longest `max_retry_after` and deadline: a call that may take more
    /// than a day belongs into a queue.
    pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

    pub(crate) fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            session: None,
            transport: None,
            timeouts: Timeouts::DEFAULT,
            max_attempts: DEFAULT_MAX_ATTEMPTS.get(),
            max_retry_after: DEFAULT_MAX_RETRY_AFTER,
            backoff: (Backoff::DEFAULT_BASE, Backoff::DEFAULT_CAP),
            deadline: None,
            retry_budget: Some(RetryBudget::DEFAULT_CAPACITY),
            max_concurrency: ConcurrencyLimit::DEFAULT_MAX,
            max_body_bytes: DEFAULT_MAX_BODY_BYTES,
            max_pages: ListingLimits::DEFAULT.max_pages.get(),
            max_items: ListingLimits::DEFAULT.max_items.get(),
            page_size: ListingLimits::DEFAULT.page_size.get(),
            clock: None,
            random: Arc::new(SystemRandom),
            recorder: None,
            injector: None,
            name: "default",
        }
    }

    /// Uses a session of the caller's, which keeps its own proxies, headers and
    /// certificates. The client's own ignores the proxy variables of the
    /// environment; neither reads a netrc file.
    ///
    /// On either, redirects are off, the timeout pair is set, and the retries
    /// that `reqwest` makes on its own are off.
    pub fn session(mut self, session: reqwest::ClientBuilder) -> Self {
        self.session = Some(session);
        self
    }

    /// Puts a middleware in the place of the transport, below the retry rules:
    /// one that answers from a script, or one that looks at what is sent and
    /// passes it on.
    pub fn transport(mut self, transport: impl Middleware) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// The timeout pair of every request.
    pub fn timeouts(mut self, connect: Duration, read: Duration) -> Self {
        self.timeouts = Timeouts { connect, read };
        self
    }

    /// The most requests one call may put on the wire; at least 1.
    pub fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.max_attempts = max_attempts;
        self
    }

    /// The longest `Retry-After` that is waited for; at most a day.
    pub fn max_retry_after(mut self, max_retry_after: Duration) -> Self {
        self.max_retry_after = max_retry_after;
        self
    }

    /// The ceiling of the first wait, and the one that doubling it never
    /// exceeds; at most a day.
    pub fn backoff(mut self, base: Duration, cap: Duration) -> Self {
        self.backoff = (base, cap);
        self
    }

    /// The time one call may take, attempts and waits together; at most a day.
    pub fn deadline(mut self, deadline: impl Into<Option<Duration>>) -> Self {
        self.deadline = deadline.into();
        self
    }

    /// The capacity of the retry budget shared by all clones, in tokens; `None`
    /// for no budget.
    pub fn retry_budget(mut self, tokens: impl Into<Option<u32>>) -> Self {
        self.retry_budget = tokens.into();
        self
    }

    /// The most attempts that all clones have in flight together; at least 1.
    pub fn max_concurrency(mut self, max_concurrency: u32) -> Self {
        self.max_concurrency = max_concurrency;
        self
    }

    /// The longest response body that is accepted, in bytes; at least 1.
    pub fn max_body_bytes(mut self, max_body_bytes: usize) -> Self {
        self.max_body_bytes = max_body_bytes;
        self
    }

    /// The most pages that a listing reads; at least 1.
    pub fn max_pages(mut self, max_pages: u32) -> Self {
        self.max_pages = max_pages;
        self
    }

    /// The most items that a listing yields; at least 1.
    pub fn max_items(mut self, max_items: u32) -> Self {
        self.max_items = max_items;
        self
    }

    /// The number of items to ask for at once, sent as `limit`; at least 1.
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

    /// Writes each attempt's trace context into its headers.
    pub fn injector(mut self, injector: Injector) -> Self {
        self.injector = Some(injector);
        self
    }

    /// The name of this client in the label `client` of its gauges.
    pub fn name(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// The first rule of [`ConfigError`] that a setting breaks.
    pub fn build(self) -> Result<ReliableApiClient, ConfigError> {
        let base_url = base_url(&self.base_url)?;
        let positive = |field, count: u32| positive(field, count.into());
        let max_attempts = positive("max_attempts", self.max_attempts)?;
        let max_concurrency = positive("max_concurrency", self.max_concurrency)?;
        let limits = ListingLimits {
            max_pages: positive("max_pages", self.max_pages)?,
            max_items: positive("max_items", self.max_items)?,
            page_size: positive("page_size", self.page_size)?,
        };
        if self.max_body_bytes == 0 {
            positive("max_body_bytes", 0)?;
        }
        not_zero("the connect timeout", self.timeouts.connect)?;
        not_zero("the read timeout", self.timeouts.read)?;
        at_most("max_retry_after", self.max_retry_after, Self::LONGEST)?;
        if let Some(deadline) = self.deadline {
            not_zero("the deadline", deadline)?;
            at_most("the deadline", deadline, Self::LONGEST)?;
        }
        let (base, cap) = self.backoff;
        not_zero("the backoff's base", base)?;
        at_most("the backoff's cap", cap, Backoff::LONGEST_CAP)?;
        if base > cap {
            return Err(ConfigError::BackoffOrder { base, cap });
        }

        let session = session(self.session, &base_url, self.timeouts)?;
        let metrics = Arc::new(Metrics::new(self.recorder));
        register(&metrics);
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::new()));
        let policy = Backoff::new(base, cap, Arc::clone(&clock), Arc::clone(&self.random));
        let limit =
            ConcurrencyLimit::observed(max_concurrency.get(), metrics.concurrency_limit(self.name));
        let mut retries = RetryMiddleware::with_policy(policy, Classifier, clock)
            .max_attempts(max_attempts)
            .max_retry_after(self.max_retry_after)
            .max_body_bytes(self.max_body_bytes)
            .concurrency_limit(limit)
            .metrics(Arc::clone(&metrics));
        if let Some(deadline) = self.deadline {
            retries = retries.deadline(deadline);
        }
        if let Some(tokens) = self.retry_budget {
            let gauge = metrics.budget_tokens(self.name);
            retries = retries.retry_budget(RetryBudget::observed(tokens, gauge));
        }
        if let Some(injector) = self.injector {
            retries = retries.injector(injector);
        }
        let mut http = ClientBuilder::new(session).with(retries);
        if let Some(transport) = self.transport {
            http = http.with_arc(transport);
        }
        Ok(ReliableApiClient::from_inner(Inner {
            http: http.build(),
            base_url,
            timeouts: self.timeouts,
            limits,
            metrics,
            random: self.random,
        }))
    }
}

/// Written by hand: a session prints its headers, the base URL may hold a
/// password that `build` would refuse.
impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("timeouts", &self.timeouts)
            .field("max_attempts", &self.max_attempts)
            .field("max_retry_after", &self.max_retry_after)
            .field("backoff", &self.backoff)
            .field("deadline", &self.deadline)
            .field("retry_budget", &self.retry_budget)
            .field("max_concurrency", &self.max_concurrency)
            .field("max_body_bytes", &self.max_body_bytes)
            .field("max_pages", &self.max_pages)
            .field("max_items", &self.max_items)
            .field("page_size", &self.page_size)
            .finish_non_exhaustive()
    }
}

/// Parses the base URL and holds it to its rules. Its path stays, as a prefix.
fn base_url(text: &str) -> Result<Url, ConfigError> {
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

fn not_zero(field: &'static str, got: Duration) -> Result<(), ConfigError> {
    if got.is_zero() {
        return Err(ConfigError::ZeroDuration { field });
    }
    Ok(())
}

fn at_most(field: &'static str, got: Duration, max: Duration) -> Result<(), ConfigError> {
    if got > max {
        return Err(ConfigError::DurationTooLong { field, got, max });
    }
    Ok(())
}

/// Sets on a session what the contract asks for, whoever made it.
fn session(
    given: Option<reqwest::ClientBuilder>,
    base_url: &Url,
    timeouts: Timeouts,
) -> Result<reqwest::Client, ConfigError> {
    install_tls_provider();
    let session = given.unwrap_or_else(|| {
        let own = reqwest::Client::builder().no_proxy();
        // Where no certificate authority is installed, as in a slim container,
        // looking for one fails the build; plain HTTP needs none.
        if base_url.scheme() == "http" {
            own.tls_certs_only([])
        } else {
            own
        }
    });
    session
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(timeouts.connect)
        .read_timeout(timeouts.read)
        .build()
        .map_err(|error| ConfigError::Session(error.without_url()))
}

/// Registers the handles of every endpoint, so that their series are there at
/// zero before the first call.
fn register(metrics: &Metrics) {
    for endpoint in Endpoint::ALL {
        let method = if endpoint == Endpoint::CREATE_JOB {
            http::Method::POST
        } else {
            http::Method::GET
        };
        metrics.call(endpoint, &method);
    }
}
