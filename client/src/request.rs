//! The requests of a client: from a method and a target to a response.
//!
//! Every call of every client method comes through here and goes through the stack of
//! the client, so the headers, what the retry rules read, the operation span and the
//! normalisation of errors are each written once.

use std::fmt;

use bytes::Bytes;
use http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};
use reqwest::Request;
use serde::Serialize;
use tracing::Instrument;

use crate::{
    api_client::ApiClient,
    api_response::ApiResponse,
    endpoint::Endpoint,
    error::{ApiError, ConfigError, ContractError, RequestName},
    idempotency_key::IdempotencyKey,
    pagination::PageQuery,
    retry::{ObservedBy, RepeatPermission},
    target::Target,
    telemetry::{GiveUp, OpenCall},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

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
        RequestBuilder {
            client: self.clone(),
            target: target.into(),
            request: Outgoing::new(method),
            error: None,
        }
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
}

/// A request that has not been sent yet. Made by [`ApiClient::request`].
///
/// GET, HEAD, PUT, DELETE, OPTIONS and TRACE are idempotent and may be sent again. POST,
/// PATCH and unknown methods get one attempt without a
/// [permission](Self::permit_repetition).
///
/// `Debug` prints the method and the template alone.
#[must_use = "a request does nothing until it is sent"]
pub struct RequestBuilder {
    client: ApiClient,
    target: Target,
    request: Outgoing,
    /// The first thing that is wrong with the request.
    error: Option<ConfigError>,
}

impl RequestBuilder {
    /// Adds a header, in place of an earlier one with its name. `Accept` is
    /// `application/json` unless it is set here.
    pub fn header<K, V>(mut self, name: K, value: V) -> Self
    where
        HeaderName: TryFrom<K>,
        HeaderValue: TryFrom<V>,
    {
        let name = HeaderName::try_from(name).ok();
        match (name, HeaderValue::try_from(value)) {
            (Some(name), Ok(value)) => {
                self.request.headers.insert(name, value);
            }
            (name, _) => {
                let request = self.name();
                self.error
                    .get_or_insert(ConfigError::Header { request, name });
            }
        }
        self
    }

    /// Sends `body` as JSON, with the `Content-Type` for it.
    pub fn json<T: Serialize + ?Sized>(mut self, body: &T) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => {
                self.request.headers.entry(CONTENT_TYPE).or_insert(JSON);
                self.request.body = Some(body.into());
            }
            Err(_) => {
                let request = self.name();
                self.error.get_or_insert(ConfigError::Body { request });
            }
        }
        self
    }

    /// Sends this key as `Idempotency-Key`. It permits no repetition, since any caller can
    /// send one to a service that ignores it.
    pub fn idempotency_key(mut self, key: &IdempotencyKey) -> Self {
        let headers = &mut self.request.headers;
        headers.insert(IdempotencyKey::HEADER, key.0.clone());
        self
    }

    /// Permits as many attempts as a GET has, whatever the method. Every attempt is the
    /// same, its key included.
    ///
    /// To call this is to promise that the endpoint recognises a repetition, for example by
    /// its [key](Self::idempotency_key).
    pub fn permit_repetition(mut self, permission: RepeatPermission) -> Self {
        self.request.permission = Some(permission);
        self
    }

    /// Sends the request, with the retries that it may have.
    ///
    /// # Errors
    ///
    /// - [`ApiError::Http`] for a status that is not 2xx.
    /// - [`ApiError::Response`] for a success whose body is neither JSON nor empty. To read
    ///   such a body, use [`ApiClient::http`].
    /// - [`ApiError::Transport`] if no complete response arrived.
    /// - [`ApiError::Config`] if the request was not sent, because a path value does not fit
    ///   its template, or a header or the body is invalid.
    pub async fn send(self) -> Result<ApiResponse, ApiError> {
        self.receive(ApiResponse::valid).await
    }

    /// Sends the request, and reads its response within the call.
    pub(crate) async fn receive<T>(
        self,
        read: impl FnOnce(ApiResponse) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let call = Call {
            target: &self.target,
            page: None,
            request: self.request,
            error: self.error,
        };
        self.client.exchange(call, read).await
    }

    fn name(&self) -> RequestName {
        RequestName::new(&self.request.method, self.target.endpoint())
    }
}

impl fmt::Debug for RequestBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestBuilder({})", self.name())
    }
}

/// The parts of a request, apart from its URL.
pub(crate) struct Outgoing {
    method: Method,
    headers: HeaderMap,
    body: Option<Bytes>,
    permission: Option<RepeatPermission>,
}

impl Outgoing {
    fn new(method: Method) -> Self {
        Self {
            method,
            headers: HeaderMap::new(),
            body: None,
            permission: None,
        }
    }
}

/// One request to be made, with whatever retries it takes.
pub(crate) struct Call<'a> {
    target: &'a Target,
    page: Option<PageQuery<'a>>,
    request: Outgoing,
    error: Option<ConfigError>,
}

impl<'a> Call<'a> {
    /// A GET of a page.
    pub(crate) fn page(target: &'a Target, page: PageQuery<'a>) -> Self {
        Self {
            target,
            page: Some(page),
            request: Outgoing::new(Method::GET),
            error: None,
        }
    }

    fn name(&self) -> RequestName {
        RequestName::new(&self.request.method, self.target.endpoint())
    }
}

impl ApiClient {
    /// Makes a call and reads its response, as one operation of the trace.
    pub(crate) async fn exchange<T>(
        &self,
        call: Call<'_>,
        read: impl FnOnce(ApiResponse) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let open = self.open(call.target.endpoint(), &call.request.method);
        let sent = self.send(call, open.observer());
        let result = sent.instrument(open.span.clone()).await.and_then(read);
        open.end(&result);
        result
    }

    /// Counts a call of a listing that a limit of the caller's ends before any
    /// request.
    pub(crate) fn refuse(&self, endpoint: Endpoint, why: GiveUp, error: ContractError) -> ApiError {
        let metrics = self.shared.metrics.operation(endpoint, &Method::GET);
        metrics.give_up(why);
        let result = Err::<(), _>(ApiError::from(error));
        self.open(endpoint, &Method::GET).end(&result);
        error.into()
    }

    fn open(&self, endpoint: Endpoint, method: &Method) -> OpenCall<'_> {
        let metrics = self.shared.metrics.operation(endpoint, method);
        OpenCall::begin(metrics, endpoint, &*self.shared.clock)
    }

    async fn send(&self, call: Call<'_>, observer: ObservedBy) -> Result<ApiResponse, ApiError> {
        let name = call.name();
        let mut extensions = Extensions::new();
        extensions.insert(call.target.endpoint());
        extensions.insert(observer);
        if let Some(permission) = call.request.permission {
            extensions.insert(permission);
        }
        let request = self.prepare(call)?;
        let sent = self
            .http()
            .execute_with_extensions(request, &mut extensions);
        match sent.await {
            Ok(mut response) => {
                // In memory already, as a whole.
                let body = response.chunk().await.ok().flatten();
                let body = body.unwrap_or_default();
                Ok(ApiResponse::new(name, response, body))
            }
            Err(error) => {
                let report = extensions.get().copied().unwrap_or_default();
                Err(ApiError::of_stack(name, error, &report))
            }
        }
    }

    /// The request of a call. Fails if its values do not fit the template, or if its
    /// cursor is too long for any URL.
    fn prepare(&self, call: Call<'_>) -> Result<Request, ApiError> {
        let name = call.name();
        if let Some(error) = call.error {
            return Err(error.into());
        }
        let mut url = call.target.url(self.base_url())?;
        if let Some(page) = call.page {
            page.add_to(&mut url, name)?;
        }
        let Outgoing {
            method,
            mut headers,
            body,
            ..
        } = call.request;
        headers.entry(ACCEPT).or_insert(JSON);
        let mut request = Request::new(method, url);
        *request.headers_mut() = headers;
        *request.body_mut() = body.map(Into::into);
        Ok(request)
    }
}
