//! The client for any service: its connections, its settings and its handles.
//!
//! Its calls are in `request.rs`, its listings in `pagination/`, its configuration in
//! `builder.rs`.

use std::{fmt, sync::Arc};

use reqwest_middleware::ClientWithMiddleware;
use url::Url;

use crate::{
    idempotency_key::IdempotencyKey, pagination::ListingLimits, random::Random, telemetry::Metrics,
    time::Clock, timeouts::Timeouts,
};

/// A client for the JSON endpoints of one service.
///
/// Cheap to clone; clones share the connections, the retry budget and the
/// concurrency limit. Made by [`ApiClient::builder`].
///
/// ```no_run
/// use reliable_api_client::{ApiClient, Endpoint};
///
/// const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
///
/// # async fn order() -> Result<(), reliable_api_client::ApiError> {
/// let client = ApiClient::builder("https://api.example.com/v1").build()?;
/// let target = ORDER.path("id", 4711).query("expand", "lines");
/// let order = client.get(target).send().await?;
/// println!("{}", order.text());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ApiClient {
    pub(crate) inner: Arc<Inner>,
}

/// The parts that clones share.
pub(crate) struct Inner {
    /// From the retry rules down to the session.
    pub(crate) http: ClientWithMiddleware,
    pub(crate) base_url: Url,
    pub(crate) timeouts: Timeouts,
    pub(crate) limits: ListingLimits,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
}

impl ApiClient {
    /// The base URL, to which the paths of the endpoints are added. It holds no
    /// credential, query or fragment.
    #[must_use]
    pub fn base_url(&self) -> &Url {
        &self.inner.base_url
    }

    /// Makes up an idempotency key from the client's random source.
    #[must_use]
    pub fn new_idempotency_key(&self) -> IdempotencyKey {
        IdempotencyKey::generate(&*self.inner.random)
    }

    /// The session with its retry rules, for requests that no method covers.
    ///
    /// The client's own session trusts no certificate where the base URL is plain HTTP.
    /// To go on to HTTPS from there, build the client with a
    /// [`session`](crate::Builder::session).
    ///
    /// Its `Debug` is `reqwest`'s own, which prints the default headers of a
    /// caller's session unless their values are marked as sensitive.
    #[must_use]
    pub fn http(&self) -> &ClientWithMiddleware {
        &self.inner.http
    }
}

/// Written by hand: the session prints its default headers, the URL its parts.
impl fmt::Debug for ApiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiClient")
            .field("timeouts", &self.inner.timeouts)
            .field("limits", &self.inner.limits)
            .finish_non_exhaustive()
    }
}
