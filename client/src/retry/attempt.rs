//! One attempt: one request on the wire, up to the last byte of its response.

use std::time::Duration;

use http::{Extensions, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Next, Result};
use tracing::{Instrument, Span};

use super::{body, concurrency::ConcurrencyLimit, failure::FailureKind};
use crate::{
    endpoint::Endpoint,
    telemetry::{self, AttemptResult, Injector, OperationMetrics},
    time::Clock,
    timeouts::Timeouts,
    transport::WentOnTheWire,
};

/// What every attempt of one call has in common.
pub(super) struct Attempts<'a> {
    pub(super) endpoint: Endpoint,
    pub(super) clock: &'a dyn Clock,
    pub(super) injector: Option<&'a Injector>,
    pub(super) metrics: &'a OperationMetrics,
    pub(super) concurrency: Option<&'a ConcurrencyLimit>,
    pub(super) max_body_bytes: usize,
}

impl Attempts<'_> {
    /// Sends `request` as attempt number `number` and reads its response.
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

        let timeouts = extensions.get().copied().unwrap_or(Timeouts::DEFAULT);
        let started = self.clock.monotonic();
        let result = async {
            let response = next.run(request, extensions).await?;
            let status = response.status();
            // The head decides: the other workers learn of a 429 before its body
            // has ended.
            if !status.is_success() {
                self.observe(status, &span);
            }
            // The body of a scripted transport may wait on the clock itself.
            let on_the_wire = extensions.get::<WentOnTheWire>().is_some();
            let _hold = on_the_wire.then(|| self.clock.hold());
            let response = body::read(response, self.max_body_bytes, timeouts.read).await?;
            if status.is_success() {
                self.observe(status, &span);
            }
            Ok(response)
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

    /// Lets a status move the concurrency limit, if there is one.
    fn observe(&self, status: StatusCode, span: &Span) {
        let change = self.concurrency.and_then(|limit| limit.observe(status));
        let Some(change) = change else { return };
        if change.shrank {
            self.metrics.concurrency_reduction();
        }
        if change.before != change.after {
            telemetry::record_concurrency(span, change.before, change.after);
        }
    }
}
