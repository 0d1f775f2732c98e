//! The internal request routine: headers, query, settings → send → response.
//!
//! Every call of every client method comes through here and goes through the stack of
//! the client, so the headers, what the retry rules read, the operation span and the
//! normalisation of errors are each written once.

use http::{
    Extensions, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};
use reqwest::Request;
use tracing::Instrument;

use crate::{
    api_client::ApiClient,
    api_response::ApiResponse,
    endpoint::Endpoint,
    error::{ApiError, ContractError, RequestName},
    idempotency_key::IdempotencyKey,
    pagination::PageQuery,
    raw_object::JsonObject,
    retry::{ObservedBy, RepeatPermission},
    target::Target,
    telemetry::{GiveUp, OpenCall},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// One request to be made, with whatever retries it takes.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) target: &'a Target,
    pub(crate) page: Option<PageQuery<'a>>,
    pub(crate) key: Option<&'a IdempotencyKey>,
    pub(crate) body: Option<&'a JsonObject>,
    pub(crate) permission: Option<RepeatPermission>,
}

impl<'a> Call<'a> {
    pub(crate) fn get(target: &'a Target) -> Self {
        Self {
            method: Method::GET,
            target,
            page: None,
            key: None,
            body: None,
            permission: None,
        }
    }

    pub(crate) fn post(
        target: &'a Target,
        key: Option<&'a IdempotencyKey>,
        body: &'a JsonObject,
    ) -> Self {
        Self {
            method: Method::POST,
            key,
            body: Some(body),
            ..Self::get(target)
        }
    }

    fn name(&self) -> RequestName {
        RequestName::new(&self.method, self.target.endpoint())
    }
}

impl ApiClient {
    /// Makes a call and reads its response, as one operation of the trace.
    pub(crate) async fn exchange<T>(
        &self,
        call: Call<'_>,
        read: impl FnOnce(ApiResponse) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let open = self.open(call.target.endpoint(), &call.method);
        let sent = self.send(&call, open.observer());
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

    async fn send(&self, call: &Call<'_>, observer: ObservedBy) -> Result<ApiResponse, ApiError> {
        let request = self.request(call)?;
        let mut extensions = Extensions::new();
        extensions.insert(call.target.endpoint());
        extensions.insert(observer);
        if let Some(permission) = call.permission {
            extensions.insert(permission);
        }
        let sent = self
            .http()
            .execute_with_extensions(request, &mut extensions);
        match sent.await {
            Ok(mut response) => {
                // In memory already, as a whole.
                let body = response.chunk().await.ok().flatten();
                let body = body.unwrap_or_default();
                Ok(ApiResponse::new(call.name(), response, body))
            }
            Err(error) => {
                let report = extensions.get().copied().unwrap_or_default();
                Err(ApiError::of_stack(call.name(), error, &report))
            }
        }
    }

    /// The request of a call. Fails if its values do not fit the template, or if its
    /// cursor is too long for any URL.
    fn request(&self, call: &Call<'_>) -> Result<Request, ApiError> {
        let mut url = call.target.url(self.base_url())?;
        if let Some(page) = call.page {
            page.add_to(&mut url, call.name())?;
        }
        let mut request = Request::new(call.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, JSON);
        if let Some(key) = call.key {
            headers.insert(IdempotencyKey::HEADER, key.0.clone());
        }
        if let Some(body) = call.body {
            headers.insert(CONTENT_TYPE, JSON);
            *request.body_mut() = Some(json(body).into());
        }
        Ok(request)
    }
}

#[expect(
    clippy::expect_used,
    reason = "a JSON object is a map with string keys"
)]
fn json(body: &JsonObject) -> Vec<u8> {
    serde_json::to_vec(body).expect("a map with string keys is JSON")
}
