//! One attempt: one request on the wire, up to the last byte of its answer.
//!
//! The body is read here, inside the attempt, so that one that breaks off is a
//! failure like any other and comes before the retry decision. A middleware
//! that returns at the headers, as most do, never sees it.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Extensions;
use reqwest::{Request, Response, ResponseBuilderExt};
use reqwest_middleware::{Error, Next, Result};
use tracing::Instrument;

use super::failure::{Failure, FailureKind};
use crate::{
    endpoint::Endpoint,
    telemetry::{self, AttemptResult, CallMetrics, Injector},
    time::Clock,
};

/// The default cap on a response body: 8 MiB.
pub(crate) const DEFAULT_MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// What every attempt of one call has in common.
pub(super) struct Attempts<'a> {
    pub(super) endpoint: Endpoint,
    pub(super) clock: &'a dyn Clock,
    pub(super) injector: Option<&'a Injector>,
    pub(super) metrics: &'a CallMetrics,
    pub(super) max_body_bytes: usize,
}

impl Attempts<'_> {
    /// Sends `request` as attempt number `number` and reads the whole answer.
    ///
    /// `remaining` is the time left until the deadline of the call; the
    /// transport cuts the attempt off there.
    pub(super) async fn send(
        &self,
        mut request: Request,
        number: u32,
        remaining: Option<Duration>,
        next: Next<'_>,
        extensions: &mut Extensions,
    ) -> Result<Response> {
        let span = telemetry::attempt_span(self.endpoint, &request, number);
        if let Some(inject) = self.injector {
            inject(&span, request.headers_mut());
        }
        if let Some(remaining) = remaining {
            let timeout = request
                .timeout()
                .map_or(remaining, |own| remaining.min(*own));
            *request.timeout_mut() = Some(timeout);
        }

        let started = self.clock.monotonic();
        let result = async {
            let response = next.run(request, extensions).await?;
            read_body(response, self.max_body_bytes).await
        }
        .instrument(span.clone())
        .await
        // The URL of a request may hold a secret, and `reqwest` prints it.
        .map_err(Error::without_url);

        let outcome = match &result {
            Ok(response) => AttemptResult::Status(response.status()),
            Err(error) => AttemptResult::Failure(FailureKind::of(error)),
        };
        telemetry::record_attempt(&span, outcome);
        let duration = self.clock.monotonic().saturating_sub(started);
        self.metrics.attempt(outcome, duration);
        result
    }
}

/// Reads the body, up to `max` bytes, and puts the answer together again
/// around it.
async fn read_body(mut response: Response, max: usize) -> Result<Response> {
    let too_large = || Error::from(Failure(FailureKind::BodyTooLarge));
    let announced = response
        .content_length()
        .map_or(Ok(0), usize::try_from)
        .map_err(|_| too_large())?;
    if announced > max {
        return Err(too_large());
    }

    // Most answers come in one piece; only a second one is worth a copy.
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        let length = first.len().max(all.len()) + chunk.len();
        if length > max {
            return Err(too_large());
        }
        if first.is_empty() {
            first = chunk;
            continue;
        }
        if all.is_empty() {
            all.reserve(announced.max(length));
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&chunk);
    }
    let body = if all.is_empty() { first } else { all.freeze() };
    Ok(with_body(response, body))
}

fn with_body(mut response: Response, body: Bytes) -> Response {
    let extensions = std::mem::take(response.extensions_mut());
    let headers = std::mem::take(response.headers_mut());
    let mut whole = http::Response::builder()
        .status(response.status())
        .version(response.version())
        .url(response.url().clone())
        .body(body)
        .expect("what was an answer makes one again");
    *whole.headers_mut() = headers;
    whole.extensions_mut().extend(extensions);
    whole.into()
}
