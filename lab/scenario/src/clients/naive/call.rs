//! One call of the naive client, repeated until it succeeds, and why it failed.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use client::{
    ConfigError, Endpoint, FailureKind, IdempotencyKey, JsonObject, Timeouts, install_tls_provider,
    telemetry::{
        ATTEMPTS, CallOutcome, Injector, RETRIES, SharedRecorder, method_label, status_label,
    },
};
use http::{Extensions, HeaderValue, Method, StatusCode, header::CONTENT_TYPE};
use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};
use reqwest::{Request, Url};
use reqwest_middleware::ClientWithMiddleware;
use serde_json::Value;
use tracing::Instrument;

use super::telemetry::{OpenCall, attempt_span, count, record_attempt, result_label, stop_span};
use crate::{Pace, StopReason, clients::Connection, network::TRANSPORT};

/// The naive client, connected to a service.
pub(super) struct NaiveClient {
    /// How long a silence lasts before the lab ends it, on the clock of the run.
    pub(super) silence: Duration,
    http: ClientWithMiddleware,
    base_url: String,
    keys: Mutex<ChaCha12Rng>,
    recorder: SharedRecorder,
    injector: Injector,
}

/// After how many of the scenario's read timeouts the lab ends a silence that the client
/// would bear for ever: long enough to be seen in a picture, and to be sat through.
const PATIENCE: u32 = 20;

/// The most attempts of a call: an arbitrary number, as in many programs.
pub(super) const MAX_ATTEMPTS: u32 = 10;

/// The cause of a failed call, as far as this client keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The status was not a success. Error code, request id and Retry-After are not read,
    /// as in programs that keep only `error_for_status`.
    Status(StatusCode),
    /// The body did not parse.
    NotJson,
    /// No complete response came.
    Transport(FailureKind),
    /// No response arrived, and the lab hung up.
    Silence,
}

impl Failure {
    pub(super) fn error_type(self) -> &'static str {
        match self {
            Self::Status(status) => status_label(status),
            Self::NotJson => "invalid_json",
            Self::Transport(kind) => kind.as_str(),
            Self::Silence => FailureKind::ReadTimeout.as_str(),
        }
    }

    pub(super) fn call_outcome(self) -> CallOutcome {
        match self {
            Self::Status(_) => CallOutcome::HttpError,
            Self::NotJson => CallOutcome::ResponseError,
            Self::Transport(_) | Self::Silence => CallOutcome::TransportError,
        }
    }
}

/// The content of a request, without the key: each request takes a new one.
pub(super) struct Call<'a> {
    method: Method,
    endpoint: Endpoint,
    cursor: Option<&'a str>,
    body: Option<&'a JsonObject>,
}

impl<'a> Call<'a> {
    pub(super) fn get(endpoint: Endpoint) -> Self {
        Self::page(endpoint, None)
    }

    pub(super) fn page(endpoint: Endpoint, cursor: Option<&'a str>) -> Self {
        Self {
            method: Method::GET,
            endpoint,
            cursor,
            body: None,
        }
    }

    pub(super) fn post(endpoint: Endpoint, body: &'a JsonObject) -> Self {
        Self {
            method: Method::POST,
            endpoint,
            cursor: None,
            body: Some(body),
        }
    }
}

impl NaiveClient {
    /// # Errors
    ///
    /// [`ConfigError::Session`] if the machine cannot make one.
    pub(super) fn new(connection: &Connection) -> Result<Self, ConfigError> {
        let silence = connection.policy.read_timeout * PATIENCE;
        install_tls_provider();
        // Instead of `Client::new()`, so that a run does not depend on the environment's
        // proxy and certificates. The other defaults stay: redirects are followed, and a
        // body may have any length. `reqwest` and Python's `requests` have no default
        // timeout; this one is the lab's.
        let session = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .read_timeout(match connection.pace {
                Pace::Real => silence,
                Pace::Virtual => TRANSPORT,
            })
            .build()
            .map_err(|error| ConfigError::Session(error.without_url()))?;
        Ok(Self {
            silence,
            http: connection.stack(session),
            base_url: connection.base_url.clone(),
            keys: Mutex::new(ChaCha12Rng::seed_from_u64(connection.seed)),
            recorder: Arc::clone(&connection.recorder),
            injector: Arc::clone(&connection.injector),
        })
    }

    /// Makes a call, as one operation of the trace.
    pub(super) async fn call(&self, call: Call<'_>) -> Result<Value, Failure> {
        let mut open = OpenCall::begin(&self.recorder, call.endpoint);
        let span = open.span().clone();
        let result = self.insist(&call, &mut open).instrument(span).await;
        open.end(&result);
        result
    }

    /// Retries until it succeeds, without a pause and without a look at the failure.
    /// Libraries do not add a pause by default: the `Retry` of Python's `urllib3` waits
    /// only if a `backoff_factor` or the server says so.
    async fn insist(&self, call: &Call<'_>, open: &mut OpenCall<'_>) -> Result<Value, Failure> {
        loop {
            let attempt = open.next_attempt();
            match self.once(call, attempt).await {
                Err(failure) if failure != Failure::Silence && attempt < MAX_ATTEMPTS => {
                    let labels = [call.endpoint.name(), method_label(&call.method)];
                    count(&self.recorder, RETRIES, labels);
                }
                Err(failure) => {
                    let why = match failure {
                        Failure::Silence => StopReason::Silence,
                        _ => StopReason::AttemptsExhausted,
                    };
                    drop(stop_span(why, &call.method, failure.error_type(), attempt));
                    return Err(failure);
                }
                result => return result,
            }
        }
    }

    /// Sends once and reads the body. It ignores the media type, as `Response::json` does.
    async fn once(&self, call: &Call<'_>, attempt: u32) -> Result<Value, Failure> {
        let mut request = self.request(call);
        let span = attempt_span(call.endpoint, &request, attempt);
        (self.injector)(&span, request.headers_mut());

        let result = self.exchange(request).instrument(span.clone()).await;

        record_attempt(&span, &result);
        let method = method_label(&call.method);
        let labels = [call.endpoint.name(), method, result_label(&result)];
        count(&self.recorder, ATTEMPTS, labels);
        match result {
            Err(FailureKind::ReadTimeout) => Err(Failure::Silence),
            Err(kind) => Err(Failure::Transport(kind)),
            Ok((status, _)) if !status.is_success() => Err(Failure::Status(status)),
            Ok((_, body)) => serde_json::from_str(&body).map_err(|_| Failure::NotJson),
        }
    }

    async fn exchange(&self, request: Request) -> Result<(StatusCode, String), FailureKind> {
        let mut extensions = Extensions::new();
        // For the clock of a run in virtual time.
        extensions.insert(Timeouts::new(Timeouts::DEFAULT.connect, self.silence));
        let sent = self.http.execute_with_extensions(request, &mut extensions);
        let response = sent.await.map_err(|error| FailureKind::of(&error))?;
        let status = response.status();
        let body = response.text().await;
        body.map(|body| (status, body))
            .map_err(|error| FailureKind::of(&error.into()))
    }

    /// Makes a request with a new key for each attempt: a key that is drawn inside the
    /// retry loop makes every attempt a new job.
    fn request(&self, call: &Call<'_>) -> Request {
        let url = format!("{}{}", self.base_url, call.endpoint.template());
        #[expect(clippy::expect_used, reason = "the lab chooses address and path")]
        let mut url = Url::parse(&url).expect("an address of the lab's own");
        if let Some(cursor) = call.cursor {
            url.query_pairs_mut().append_pair("cursor", cursor);
        }
        let mut request = Request::new(call.method.clone(), url);
        if let Some(body) = call.body {
            let headers = request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.insert(IdempotencyKey::HEADER, self.new_key());
            #[expect(clippy::expect_used, reason = "a JSON object has texts for keys")]
            let body = serde_json::to_vec(body).expect("it is JSON");
            *request.body_mut() = Some(body.into());
        }
        request
    }

    fn new_key(&self) -> HeaderValue {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{:032x}", keys.random::<u128>());
        #[expect(clippy::expect_used, reason = "it is made here")]
        HeaderValue::try_from(key).expect("hex digits")
    }
}
