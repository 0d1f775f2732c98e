//! The HTTP client of the exporter, which counts attempts and reads partial successes: the
//! exporter reports neither.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use async_trait::async_trait;
use http::{Request, Response};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use prost::Message;
use reqwest::Client;

/// The longest message of a receiver that is shown, in characters.
const LONGEST: usize = 200;

/// A client that is watched. Clones share what they saw.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    http: Client,
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    attempts: AtomicU32,
    /// Set by the first success, with which the export ends.
    partial: OnceLock<PartialSuccess>,
}

/// A success with which the receiver said that it did not keep all spans, or warned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PartialSuccess {
    rejected: i64,
    message: String,
}

impl Watched {
    pub(super) fn new(http: Client) -> Self {
        let seen = Arc::default();
        Self { http, seen }
    }

    pub(super) fn attempts(&self) -> u32 {
        self.seen.attempts.load(Ordering::Relaxed)
    }

    pub(super) fn partial_success(&self) -> Option<PartialSuccess> {
        self.seen.partial.get().cloned()
    }
}

#[async_trait]
impl HttpClient for Watched {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        self.seen.attempts.fetch_add(1, Ordering::Relaxed);
        let response = HttpClient::send_bytes(&self.http, request).await?;
        if response.status().is_success()
            && let Some(partial) = PartialSuccess::of(response.body())
        {
            let _first = self.seen.partial.set(partial);
        }
        Ok(response)
    }
}

impl PartialSuccess {
    /// The statement in the body of a response; none if all spans were kept without a word. A
    /// body that is not OTLP says nothing, because the status says that they were kept.
    fn of(body: &Bytes) -> Option<Self> {
        let response = ExportTraceServiceResponse::decode(body.clone()).ok()?;
        let partial = response.partial_success?;
        let said = partial.rejected_spans != 0 || !partial.error_message.is_empty();
        said.then(|| {
            let message = partial.error_message.chars();
            // The text is a stranger's, and is printed in one line of a terminal.
            let message = message.map(|sign| if sign.is_control() { ' ' } else { sign });
            Self {
                rejected: partial.rejected_spans,
                message: message.take(LONGEST).collect(),
            }
        })
    }
}

impl fmt::Display for PartialSuccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rejected {
            0 => f.write_str("the receiver warns")?,
            1 => f.write_str("the receiver rejected 1 span")?,
            rejected => write!(f, "the receiver rejected {rejected} spans")?,
        }
        match &*self.message {
            "" => Ok(()),
            message => write!(f, ": {message}"),
        }
    }
}
