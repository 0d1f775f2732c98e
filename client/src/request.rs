//! The internal request routine: headers, query, extensions → send → response.
//!
//! Every call of every client method comes through here, so the headers, the
//! extensions that the retry rules read, the operation span and the
//! normalisation of errors are each written once.

use http::{
    Extensions, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};
use reqwest::Request;
use tracing::Instrument;

use crate::{
    api_response::ApiResponse,
    endpoint::Endpoint,
    error::{ApiError, ApiTransportError, ContractError, RequestName},
    idempotency_key::IdempotencyKey,
    pagination::PageQuery,
    raw_object::JsonObject,
    reliable_client::ReliableApiClient,
    retry::{RepeatPermission, RetryReport},
    telemetry::{AttemptCount, GiveUp, OpenCall},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// One request to be made, with whatever retries it takes.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) endpoint: Endpoint,
    pub(crate) page: Option<PageQuery<'a>>,
    pub(crate) key: Option<&'a IdempotencyKey>,
    pub(crate) body: Option<&'a JsonObject>,
    pub(crate) permission: Option<RepeatPermission>,
}

impl Call<'_> {
    /// A GET without a query.
    pub(crate) const fn get(endpoint: Endpoint) -> Self {
        Self {
            method: Method::GET,
            endpoint,
            page: None,
            key: None,
            body: None,
            permission: None,
        }
    }
}

impl ReliableApiClient {
    /// Makes a call and reads its response, as one operation of the trace.
    pub(crate) async fn exchange<T>(
        &self,
        call: Call<'_>,
        read: impl FnOnce(ApiResponse) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let open = self.open_call(call.endpoint, &call.method);
        let sent = self.send(call, open.attempts());
        let result = sent.instrument(open.span().clone()).await.and_then(read);
        open.end(&result);
        result
    }

    /// Counts a call of a listing that a limit of the caller's ends before any
    /// request.
    pub(crate) fn refuse(&self, endpoint: Endpoint, why: GiveUp, error: ContractError) -> ApiError {
        let metrics = self.metrics().operation(endpoint, &Method::GET);
        metrics.give_up(why);
        let result = Err::<(), _>(ApiError::from(error));
        self.open_call(endpoint, &Method::GET).end(&result);
        error.into()
    }

    fn open_call(&self, endpoint: Endpoint, method: &Method) -> OpenCall<'_> {
        OpenCall::begin(self.metrics(), endpoint, method, self.clock())
    }

    async fn send(&self, call: Call<'_>, attempts: AttemptCount) -> Result<ApiResponse, ApiError> {
        let name = RequestName::new(&call.method, call.endpoint);
        let mut extensions = Extensions::new();
        extensions.insert(call.endpoint);
        extensions.insert(self.timeouts());
        extensions.insert(self.settings());
        extensions.insert(attempts);
        if let Some(permission) = call.permission {
            extensions.insert(permission);
        }

        let request = self.request(&call, name)?;
        let result = self
            .http()
            .execute_with_extensions(request, &mut extensions)
            .await;

        let report = extensions.get::<RetryReport>().copied();
        let report = report.unwrap_or_default();
        match result {
            Ok(response) => Ok(ApiResponse::read(name, response, &report).await),
            Err(error) => Err(ApiError::Transport(ApiTransportError {
                attempts: report.attempts,
                stopped: report.stopped,
                ..ApiTransportError::of(name, error)
            })),
        }
    }

    /// Builds the request, headers included; fails if its cursor is too long for
    /// any URL.
    fn request(&self, call: &Call<'_>, name: RequestName) -> Result<Request, ContractError> {
        let mut url = self.url(call.endpoint);
        if let Some(page) = call.page {
            page.write_to(&mut url, name)?;
        }
        let mut request = Request::new(call.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, JSON);
        if let Some(key) = call.key {
            headers.insert(IdempotencyKey::HEADER, key.header_value());
        }
        if let Some(body) = call.body {
            headers.insert(CONTENT_TYPE, JSON);
            #[expect(
                clippy::expect_used,
                reason = "a JSON object is a map with string keys"
            )]
            let body = serde_json::to_vec(body).expect("a map with string keys is JSON");
            *request.body_mut() = Some(body.into());
        }
        Ok(request)
    }
}
