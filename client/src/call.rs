//! The internal request routine: endpoint → send → answer.
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
    answer::Answer,
    api::{JsonObject, ReliableApiClient},
    endpoint::Endpoint,
    error::{ApiError, ApiTransportError, RequestName},
    idempotency_key::IdempotencyKey,
    retry::{FailureKind, RepeatPermission, RetryReport},
    telemetry,
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// One request to be made, with whatever retries it takes.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) endpoint: Endpoint,
    pub(crate) query: &'a [(&'a str, &'a str)],
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
            query: &[],
            key: None,
            body: None,
            permission: None,
        }
    }
}

impl ReliableApiClient {
    /// Makes a call and reads its answer, as one operation of the trace.
    pub(crate) async fn exchange<T>(
        &self,
        call: Call<'_>,
        read: impl FnOnce(Answer) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let span = telemetry::operation_span(call.endpoint);
        let sent = self.send(call).instrument(span.clone()).await;
        let attempts = match &sent {
            Ok(answer) => answer.attempts,
            Err(error) => error.attempts(),
        };
        let result = sent.and_then(read);
        let error_type = result.as_ref().err().map(ApiError::error_type);
        telemetry::record_operation(&span, attempts, error_type);
        result
    }

    async fn send(&self, call: Call<'_>) -> Result<Answer, ApiError> {
        let name = RequestName::new(&call.method, call.endpoint);
        let mut extensions = Extensions::new();
        extensions.insert(call.endpoint);
        extensions.insert(self.timeouts());
        if let Some(permission) = call.permission {
            extensions.insert(permission);
        }

        let request = self.request(call);
        let result = self
            .http()
            .execute_with_extensions(request, &mut extensions)
            .await;

        let report = extensions.get::<RetryReport>().copied();
        let report = report.unwrap_or_default();
        match result {
            Ok(response) => Ok(Answer::read(name, response, &report).await),
            Err(error) => Err(ApiError::Transport(ApiTransportError {
                request: name,
                kind: FailureKind::of(&error),
                attempts: report.attempts,
                stopped: report.stopped,
                source: match error {
                    reqwest_middleware::Error::Reqwest(error) => Some(error.without_url()),
                    // Somebody else's middleware wrote it, and may have put
                    // anything into it.
                    reqwest_middleware::Error::Middleware(_) => None,
                },
            })),
        }
    }

    fn request(&self, call: Call<'_>) -> Request {
        let mut url = self.url(call.endpoint);
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(call.query);
        }
        let mut request = Request::new(call.method, url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, JSON);
        if let Some(key) = call.key {
            headers.insert(IdempotencyKey::HEADER, key.header_value());
        }
        if let Some(body) = call.body {
            headers.insert(CONTENT_TYPE, JSON);
            let body = serde_json::to_vec(body).expect("a map with string keys is JSON");
            *request.body_mut() = Some(body.into());
        }
        request
    }
}
