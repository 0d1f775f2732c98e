//! What a `ReliableApiClient` is made of, and what its clones share. Its methods, one
//! for each endpoint, stand in `api.rs`.

use std::{fmt, sync::Arc};

use http::Method;
use metrics::Gauge;
use reqwest_middleware::ClientWithMiddleware;
use url::Url;

use crate::{
    endpoint::Endpoint,
    idempotency_key::IdempotencyKey,
    pagination::ListingLimits,
    per_operation::PerOperation,
    random::Random,
    retry::{CallSettings, Policy, RetryMiddleware},
    telemetry::{Metrics, OperationMetrics},
    time::Clock,
    timeouts::Timeouts,
    transport::Below,
};

/// The reference client of the teaching service.
///
/// Cheap to clone; clones share the connections, the retry budget and the
/// concurrency limit. Made by [`ReliableApiClient::builder`].
#[derive(Clone)]
pub struct ReliableApiClient {
    inner: Arc<Inner>,
    settings: CallSettings,
}

pub(crate) struct Inner {
    pub(crate) http: ClientWithMiddleware,
    pub(crate) retries: Arc<RetryMiddleware<Policy>>,
    pub(crate) below: BelowRetries,
    /// Without a trailing slash, so that an endpoint's template can follow it.
    pub(crate) base_url: Url,
    pub(crate) timeouts: Timeouts,
    pub(crate) limits: ListingLimits,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) routes: PerOperation<Route>,
    /// Kept for as long as the client lives: they show the budget and the limit
    /// that it shares.
    pub(crate) _gauges: Vec<Arc<Gauge>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
}

/// What stands below the retry rules of a client.
pub(crate) enum BelowRetries {
    /// The session.
    Session(reqwest::Client),
    /// The middlewares that were handed in, and what stands below them.
    Middlewares(ClientWithMiddleware),
}

/// What every call of one endpoint and method has in common.
pub(crate) struct Route {
    pub(crate) url: Url,
    pub(crate) metrics: Arc<OperationMetrics>,
}

impl ReliableApiClient {
    /// Makes up an idempotency key from the client's random source.
    #[must_use]
    pub fn new_idempotency_key(&self) -> IdempotencyKey {
        IdempotencyKey::generate(&*self.inner.random)
    }

    /// The same client with settings for the calls made through what is
    /// returned. Connections, retry budget and concurrency limit stay shared;
    /// settings of an earlier call of this method are replaced.
    ///
    /// ```
    /// # use std::time::Duration;
    /// use client::{CallSettings, ReliableApiClient};
    ///
    /// # async fn page(client: ReliableApiClient) -> Result<(), client::ApiError> {
    /// let hurried = client.with_settings(CallSettings::new().deadline(Duration::from_secs(1)));
    /// hurried.flaky().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_settings(&self, settings: CallSettings) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            settings,
        }
    }

    /// The session with its retry rules, for requests that no method covers.
    /// Settings of one call are an extension of its request there.
    ///
    /// The client's own session trusts no certificate where the base URL is plain HTTP:
    /// whoever goes on to HTTPS from there builds the client with a
    /// [`session`](crate::Builder::session).
    ///
    /// Its `Debug` is `reqwest`'s own, which prints the default headers of a
    /// caller's session unless their values are marked as sensitive.
    #[must_use]
    pub fn http(&self) -> &ClientWithMiddleware {
        &self.inner.http
    }

    pub(crate) fn from_inner(inner: Inner) -> Self {
        Self {
            inner: Arc::new(inner),
            settings: CallSettings::new(),
        }
    }

    pub(crate) fn route(&self, endpoint: Endpoint, method: &Method) -> Arc<Route> {
        self.inner.routes.get(endpoint, method, || Route {
            url: self.url(endpoint),
            metrics: self.inner.metrics.operation(endpoint, method),
        })
    }

    pub(crate) fn url(&self, endpoint: Endpoint) -> Url {
        let mut url = self.inner.base_url.clone();
        let path = format!(
            "{}{}",
            url.path().trim_end_matches('/'),
            endpoint.template()
        );
        url.set_path(&path);
        url
    }

    pub(crate) fn settings(&self) -> CallSettings {
        self.settings
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        self.inner.timeouts
    }

    pub(crate) fn limits(&self) -> ListingLimits {
        self.inner.limits
    }

    pub(crate) fn retries(&self) -> &RetryMiddleware<Policy> {
        &self.inner.retries
    }

    pub(crate) fn below(&self) -> Below<'_> {
        match &self.inner.below {
            BelowRetries::Session(session) => Below::Wire(session, &*self.inner.clock),
            BelowRetries::Middlewares(stack) => Below::Stack(stack),
        }
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.inner.clock
    }
}

/// Written by hand: the session prints its default headers, the URL its parts.
impl fmt::Debug for ReliableApiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReliableApiClient")
            .field("timeouts", &self.inner.timeouts)
            .field("limits", &self.inner.limits)
            .finish_non_exhaustive()
    }
}
