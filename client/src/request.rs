//! The internal request routine: headers, query, terms → send → response.
//!
//! Every call of every client method comes through here, so the headers, the
//! terms that the retry rules read, the operation span and the normalisation of
//! errors are each written once.

use std::{borrow::Cow, pin::pin};

use bytes::Bytes;
use http::{
    Extensions, HeaderValue, Method,
    header::{ACCEPT, CONTENT_TYPE},
};
use reqwest::Request;
use url::Url;

use crate::{
    api_response::ApiResponse,
    endpoint::Endpoint,
    error::{ApiError, ApiTransportError, ContractError, RequestName},
    idempotency_key::IdempotencyKey,
    pagination::PageQuery,
    raw_object::JsonObject,
    reliable_client::{ReliableApiClient, Route},
    retry::{RepeatPermission, Terms},
    telemetry::{self, GiveUp, OpenCall},
    transport::Below,
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
        let route = self.route(call.endpoint, &call.method);
        let open = OpenCall::begin(&route.metrics, call.endpoint, self.clock());
        let result = {
            let sent = pin!(self.send(&call, &route, &open));
            telemetry::in_span(open.span(), sent).await.and_then(read)
        };
        open.end(&result);
        result
    }

    /// Counts a call of a listing that a limit of the caller's ends before any
    /// request.
    pub(crate) fn refuse(&self, endpoint: Endpoint, why: GiveUp, error: ContractError) -> ApiError {
        let route = self.route(endpoint, &Method::GET);
        route.metrics.give_up(why);
        let result = Err::<(), _>(ApiError::from(error));
        OpenCall::begin(&route.metrics, endpoint, self.clock()).end(&result);
        error.into()
    }

    async fn send(
        &self,
        call: &Call<'_>,
        route: &Route,
        open: &OpenCall<'_>,
    ) -> Result<ApiResponse, ApiError> {
        let name = RequestName::new(&call.method, call.endpoint);
        let request = call.request(route, name)?;
        let request = || request.build();
        let mut body = Bytes::new();
        let terms = Terms {
            endpoint: call.endpoint,
            timeouts: self.timeouts(),
            settings: self.settings(),
            permission: call.permission,
            metrics: &route.metrics,
            began: open.began(),
            sent: open.attempts(),
            rebuild: Some(&request),
            body: Some(&mut body),
        };
        let below = self.below();
        let mut extensions = match &below {
            Below::Stack(_) => terms.extensions(),
            _ => Extensions::new(),
        };
        let (result, report) = self
            .retries()
            .call(request(), terms, below, &mut extensions)
            .await;
        match result {
            Ok(mut response) => Ok(ApiResponse::new(name, &mut response, body, &report)),
            Err(error) => Err(ApiError::Transport(ApiTransportError {
                attempts: report.attempts,
                stopped: report.stopped,
                ..ApiTransportError::of(name, error)
            })),
        }
    }
}

/// All that a request of a call is built from.
struct RequestParts<'a> {
    method: &'a Method,
    url: Cow<'a, Url>,
    key: Option<&'a IdempotencyKey>,
    body: Option<Bytes>,
}

impl Call<'_> {
    /// What its requests are built from; fails if its cursor is too long for any URL.
    fn request<'a>(
        &'a self,
        route: &'a Route,
        name: RequestName,
    ) -> Result<RequestParts<'a>, ContractError> {
        let mut url = Cow::Borrowed(&route.url);
        if let Some(page) = self.page {
            page.write_to(url.to_mut(), name)?;
        }
        Ok(RequestParts {
            method: &self.method,
            url,
            key: self.key,
            body: self.body.map(json),
        })
    }
}

#[expect(
    clippy::expect_used,
    reason = "a JSON object is a map with string keys"
)]
fn json(body: &JsonObject) -> Bytes {
    serde_json::to_vec(body)
        .expect("a map with string keys is JSON")
        .into()
}

impl RequestParts<'_> {
    /// Builds the request, headers included.
    fn build(&self) -> Request {
        let mut request = Request::new(self.method.clone(), self.url.as_ref().clone());
        let headers = request.headers_mut();
        headers.insert(ACCEPT, JSON);
        if let Some(key) = self.key {
            headers.insert(IdempotencyKey::HEADER, key.header_value());
        }
        if let Some(body) = &self.body {
            headers.insert(CONTENT_TYPE, JSON);
            *request.body_mut() = Some(body.clone().into());
        }
        request
    }
}
