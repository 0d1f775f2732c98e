//! The client for any service, with which every call begins.
//!
//! `request.rs` sends a call, `pagination/` reads listings, `builder.rs` configures a client.

use std::{fmt, sync::Arc};

use http::Method;
use reqwest_middleware::ClientWithMiddleware;
use url::Url;

use crate::{
    clock::Clock, idempotency_key::IdempotencyKey, pagination::ListingLimits, random::Random,
    request::RequestBuilder, target::Target, telemetry::Metrics, timeouts::Timeouts,
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
    /// Begins a request with any method.
    ///
    /// ```no_run
    /// use http::Method;
    /// use reliable_api_client::{ApiClient, ApiError, Endpoint};
    ///
    /// const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
    ///
    /// #[derive(serde::Serialize)]
    /// struct Order {
    ///     state: &'static str,
    /// }
    ///
    /// async fn close(client: &ApiClient, id: u64) -> Result<(), ApiError> {
    ///     let closed = Order { state: "closed" };
    ///     let request = client.request(Method::PUT, ORDER.path("id", id)).json(&closed);
    ///     let response = request.send().await?;
    ///     println!("{:?}", response.headers().get("etag"));
    ///     Ok(())
    /// }
    /// ```
    pub fn request(&self, method: Method, target: impl Into<Target>) -> RequestBuilder {
        RequestBuilder::new(self.clone(), method, target.into())
    }

    /// Begins a GET.
    pub fn get(&self, target: impl Into<Target>) -> RequestBuilder {
        self.request(Method::GET, target)
    }

    /// Begins a POST, which gets one attempt unless it is
    /// [permitted to be repeated](RequestBuilder::permit_repetition).
    pub fn post(&self, target: impl Into<Target>) -> RequestBuilder {
        self.request(Method::POST, target)
    }

    /// Begins a PUT.
    pub fn put(&self, target: impl Into<Target>) -> RequestBuilder {
        self.request(Method::PUT, target)
    }

    /// Begins a PATCH, which gets one attempt unless it is
    /// [permitted to be repeated](RequestBuilder::permit_repetition).
    pub fn patch(&self, target: impl Into<Target>) -> RequestBuilder {
        self.request(Method::PATCH, target)
    }

    /// Begins a DELETE.
    pub fn delete(&self, target: impl Into<Target>) -> RequestBuilder {
        self.request(Method::DELETE, target)
    }

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
