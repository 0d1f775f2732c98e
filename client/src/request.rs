//! The requests of a client: from a method and a target to a response.
//!
//! Every call of every client method comes through here and goes through the stack of
//! the client, so the headers, what the retry rules read, the operation span and the
//! normalisation of errors are each written once.

use std::{fmt, mem, time::Duration};

use bytes::Bytes;
use futures_util::FutureExt;
use http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};
use reqwest::{Request, Response};
use serde::Serialize;
use tracing::Instrument;

use crate::{
    api_client::ApiClient,
    api_response::ApiResponse,
    endpoint::Endpoint,
    error::{ApiError, ConfigError, ContractError, RequestName},
    idempotency_key::IdempotencyKey,
    pagination::PageQuery,
    retry::{Deadline, RepeatPermission, RetryReport},
    target::Target,
    telemetry::{GiveUp, OpenCall},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

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
}

impl RequestBuilder {
    pub(crate) fn new(client: ApiClient, method: Method, target: Target) -> Self {
        Self {
            client,
            target,
            request: Outgoing::new(method),
        }
    }

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
                self.request
                    .error
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
                self.request
                    .error
                    .get_or_insert(ConfigError::Body { request });
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

    /// The time that this call may take, attempts and waits together, in place of the
    /// [client's](crate::Builder::deadline); longer than zero, at most a day.
    ///
    /// ```
    /// # use std::time::Duration;
    /// use reliable_api_client::{ApiClient, ApiError, Endpoint};
    ///
    /// const STOCK: Endpoint = Endpoint::new("stock", "/stock");
    ///
    /// # async fn stock(client: ApiClient) -> Result<(), ApiError> {
    /// let hurried = client.get(STOCK).deadline(Duration::from_secs(1));
    /// hurried.send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn deadline(mut self, deadline: Duration) -> Self {
        match Deadline::new(deadline) {
            Ok(deadline) => self.request.deadline = Some(deadline),
            Err(error) => {
                self.request.error.get_or_insert(error);
            }
        }
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
    ///   its template, or a header, the body or the deadline is invalid.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn has room for its argument twice, and the storm, which holds \
                  thousands of calls, would miss its bound"
    )]
    pub fn send(mut self) -> impl Future<Output = Result<ApiResponse, ApiError>> + Send {
        async move { self.receive(ApiResponse::valid).await }
    }

    /// Sends the request, and reads its response within the call.
    ///
    /// A request is taken out of its builder only when it is made: a future has room for each
    /// value that is handed on within it, and that of a call would be twice as large.
    pub(crate) async fn receive<T>(
        &mut self,
        read: impl FnOnce(ApiResponse) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let request = &mut self.request;
        self.client
            .exchange(&self.target, request, None, read)
            .await
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
    deadline: Option<Deadline>,
    /// The first thing that is wrong with it.
    error: Option<ConfigError>,
}

impl Outgoing {
    pub(crate) fn new(method: Method) -> Self {
        Self {
            method,
            headers: HeaderMap::new(),
            body: None,
            permission: None,
            deadline: None,
            error: None,
        }
    }
}

impl ApiClient {
    /// Makes a call and reads its response, as one operation of the trace.
    pub(crate) async fn exchange<T>(
        &self,
        target: &Target,
        outgoing: &mut Outgoing,
        page: Option<PageQuery<'_>>,
        read: impl FnOnce(ApiResponse) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let open = self.open(target.endpoint(), &outgoing.method);
        let response = self.respond(&open, target, outgoing, page).await;
        let result = response.and_then(read);
        open.end(&result);
        result
    }

    /// The response to a request, which is sent as often as the retry rules allow.
    async fn respond(
        &self,
        open: &OpenCall<'_>,
        target: &Target,
        outgoing: &mut Outgoing,
        page: Option<PageQuery<'_>>,
    ) -> Result<ApiResponse, ApiError> {
        let name = RequestName::new(&outgoing.method, target.endpoint());
        let mut extensions = Extensions::new();
        extensions.insert(target.endpoint());
        extensions.insert(open.observer());
        if let Some(permission) = outgoing.permission {
            extensions.insert(permission);
        }
        if let Some(deadline) = outgoing.deadline {
            extensions.insert(deadline);
        }
        let request = self.prepare(target, outgoing, page)?;
        let sent = self
            .http()
            .execute_with_extensions(request, &mut extensions);
        let sent = sent.instrument(open.span.clone()).await;
        received(name, sent, &extensions)
    }

    /// Counts a call of a listing that a limit of the caller's ends before any
    /// request.
    pub(crate) fn refuse(&self, endpoint: Endpoint, why: GiveUp, error: ContractError) -> ApiError {
        let open = self.open(endpoint, &Method::GET);
        open.reaches_a_limit(why);
        open.end(&Err::<(), _>(error.into()));
        error.into()
    }

    fn open(&self, endpoint: Endpoint, method: &Method) -> OpenCall<'_> {
        let metrics = self.inner.metrics.operation(endpoint, method);
        OpenCall::begin(metrics, endpoint, &*self.inner.clock)
    }

    /// The request of a call. Fails if a part of it is invalid, if its values do not fit the
    /// template, or if its cursor is too long for any URL.
    fn prepare(
        &self,
        target: &Target,
        outgoing: &mut Outgoing,
        page: Option<PageQuery<'_>>,
    ) -> Result<Request, ApiError> {
        if let Some(error) = outgoing.error.take() {
            return Err(error.into());
        }
        let mut url = target.url(&self.inner.base_url)?;
        if let Some(page) = page {
            page.add_to(
                &mut url,
                RequestName::new(&outgoing.method, target.endpoint()),
            )?;
        }
        let mut request = Request::new(outgoing.method.clone(), url);
        *request.headers_mut() = mem::take(&mut outgoing.headers);
        request.headers_mut().entry(ACCEPT).or_insert(JSON);
        *request.body_mut() = outgoing.body.take().map(Into::into);
        Ok(request)
    }
}

/// The response that the stack returned, whose body the retry rules have read into memory.
fn received(
    name: RequestName,
    sent: reqwest_middleware::Result<Response>,
    extensions: &Extensions,
) -> Result<ApiResponse, ApiError> {
    match sent {
        Ok(mut response) => {
            let body = response.chunk().now_or_never();
            let body = body.and_then(|read| read.ok().flatten());
            Ok(ApiResponse::new(name, response, body.unwrap_or_default()))
        }
        Err(error) => {
            let report: RetryReport = extensions.get().copied().unwrap_or_default();
            Err(ApiError::of_stack(
                name,
                error,
                report.attempts,
                report.stopped,
            ))
        }
    }
}
