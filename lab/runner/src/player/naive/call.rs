//! One call of the naive client, made until it works.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use client::{ConfigError, Endpoint, FailureKind, Timeouts, install_tls_provider};
use http::{Extensions, HeaderValue, Method, StatusCode, header::CONTENT_TYPE};
use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};
use reqwest::{Request, Url};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware};
use serde_json::Value;
use tracing::Instrument;

use super::telemetry::{self, Telemetry};
use evidence::Pace;

/// How often a call is made at most. The number is as arbitrary as it usually
/// is, where there is one at all.
pub(crate) const ATTEMPTS: u32 = 10;

/// The client that people first write.
pub(crate) struct NaiveClient {
    pub(super) silence: Silence,
    http: ClientWithMiddleware,
    base_url: String,
    keys: Mutex<ChaCha12Rng>,
    telemetry: Telemetry,
}

/// When the lab ends a silence that the client would bear for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// How long it lasts.
    pub(crate) real: Duration,
    /// How long it lasts on the clock of the run.
    pub(crate) shown: Duration,
}

impl Silence {
    /// After how many of the scenario's read timeouts the lab loses patience:
    /// long enough to be seen in a picture, and to be sat through.
    const PATIENCE: u32 = 20;

    /// In virtual time the timers of the transport are real all the same, so
    /// there the least that the scenario asks for is waited for.
    pub(crate) fn of(read_timeout: Duration, pace: Pace) -> Self {
        let shown = read_timeout * Self::PATIENCE;
        let real = match pace {
            Pace::Real => shown,
            Pace::Virtual => read_timeout,
        };
        Self { real, shown }
    }
}

/// What is to be sent.
pub(super) struct Call<'a> {
    method: Method,
    endpoint: Endpoint,
    cursor: Option<&'a str>,
    body: Option<Value>,
}

impl<'a> Call<'a> {
    pub(super) fn get(endpoint: Endpoint, cursor: Option<&'a str>) -> Self {
        Self {
            method: Method::GET,
            endpoint,
            cursor,
            body: None,
        }
    }

    pub(super) fn post(endpoint: Endpoint, body: Value) -> Self {
        Self {
            method: Method::POST,
            endpoint,
            cursor: None,
            body: Some(body),
        }
    }
}

/// Why a call failed, as much of it as this client keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The status was no success. Machine code, request id and Retry-After went
    /// unread, as they do where all that is kept is `error_for_status`.
    Status(StatusCode),
    /// The body did not parse.
    NotJson,
    /// No complete answer came.
    Transport(FailureKind),
    /// Nothing came, and the lab hung up.
    Silence,
}

impl Failure {
    pub(super) fn error_type(self) -> &'static str {
        match self {
            Self::Status(status) => telemetry::status_label(status),
            Self::NotJson => "invalid_json",
            Self::Transport(kind) => kind.as_str(),
            Self::Silence => FailureKind::ReadTimeout.as_str(),
        }
    }
}

impl NaiveClient {
    /// A client of the service at `base_url`, whose requests pass through
    /// `middlewares`, the first of them first.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Session`] if the machine cannot make one.
    pub(crate) fn new(
        base_url: &str,
        seed: u64,
        middlewares: Vec<Arc<dyn Middleware>>,
        silence: Silence,
        telemetry: Telemetry,
    ) -> Result<Self, ConfigError> {
        install_tls_provider();
        // In place of `Client::new()`, so that nothing of the environment gets
        // into a run: no proxy, no certificates. What the habit leaves as it is
        // stays: redirects are followed, a body may have any length, and there
        // is no timeout. `reqwest` sets none unless asked, nor does Python's
        // `requests`; the one here is the lab's.
        let session = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .read_timeout(silence.real)
            .build()
            .map_err(|error| ConfigError::Session(error.without_url()))?;
        let http = ClientBuilder::new(session);
        let http = middlewares.into_iter().fold(http, ClientBuilder::with_arc);
        Ok(Self {
            silence,
            http: http.build(),
            base_url: base_url.to_owned(),
            keys: Mutex::new(ChaCha12Rng::seed_from_u64(seed)),
            telemetry,
        })
    }

    /// Makes a call, as one operation of the trace.
    pub(super) async fn call(&self, call: Call<'_>) -> Result<Value, Failure> {
        let span = telemetry::operation_span(call.endpoint);
        let (attempts, result) = self.insist(&call).instrument(span.clone()).await;
        let error = result.as_ref().err().map(|failure| failure.error_type());
        telemetry::record_operation(&span, attempts, error);
        result
    }

    /// Tries until it works: the loop of many a first version, without a pause,
    /// and without a look at what failed. Libraries do not make up for the
    /// pause by themselves: the `Retry` of Python's `urllib3` waits for nothing
    /// unless a `backoff_factor` or the server says so.
    async fn insist(&self, call: &Call<'_>) -> (u32, Result<Value, Failure>) {
        let mut attempt = 1;
        loop {
            match self.once(call, attempt).await {
                Ok(value) => return (attempt, Ok(value)),
                Err(Failure::Silence) => return (attempt, Err(Failure::Silence)),
                Err(failure) if attempt == ATTEMPTS => return (attempt, Err(failure)),
                Err(_) => {
                    self.telemetry.retry(call.endpoint, &call.method);
                    attempt += 1;
                }
            }
        }
    }

    /// Sends once and reads what comes: no look at the media type, which
    /// `Response::json` does not take either.
    async fn once(&self, call: &Call<'_>, attempt: u32) -> Result<Value, Failure> {
        let mut request = self.request(call);
        let span = telemetry::attempt_span(call.endpoint, &request, attempt);
        self.telemetry.inject(&span, request.headers_mut());

        let result = self.exchange(request).instrument(span.clone()).await;

        telemetry::record_attempt(&span, &result);
        self.telemetry.attempt(call.endpoint, &call.method, &result);
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
        extensions.insert(Timeouts {
            read: self.silence.shown,
            ..Timeouts::DEFAULT
        });
        let sent = self.http.execute_with_extensions(request, &mut extensions);
        let response = sent.await.map_err(|error| FailureKind::of(&error))?;
        let status = response.status();
        let body = response.text().await;
        body.map(|body| (status, body))
            .map_err(|error| FailureKind::of(&error.into()))
    }

    /// A request is made for each attempt, and its key with it: where the key
    /// is drawn inside what is retried, every attempt is a new intention.
    fn request(&self, call: &Call<'_>) -> Request {
        let url = format!("{}{}", self.base_url, call.endpoint.template());
        let mut url = Url::parse(&url).expect("an address of the lab's own");
        if let Some(cursor) = call.cursor {
            url.query_pairs_mut().append_pair("cursor", cursor);
        }
        let mut request = Request::new(call.method.clone(), url);
        if let Some(body) = &call.body {
            let headers = request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.insert("Idempotency-Key", self.new_key());
            *request.body_mut() = Some(body.to_string().into());
        }
        request
    }

    fn new_key(&self) -> HeaderValue {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{:032x}", keys.random::<u128>());
        HeaderValue::try_from(key).expect("hex digits")
    }
}
