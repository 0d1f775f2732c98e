//! One attempt: one request on the wire, up to the last byte of its response.

use std::{pin::pin, time::Duration};

use bytes::Bytes;
use http::{Extensions, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Result};
use tracing::Span;

use super::{body, concurrency::ConcurrencyLimit, failure::FailureKind};
use crate::{
    telemetry::{self, AttemptResult, Injector, OperationMetrics},
    time::Clock,
    transport::Below,
};

/// What every attempt of one call has in common.
pub(super) struct Attempts<'a> {
    pub(super) clock: &'a dyn Clock,
    pub(super) injector: Option<&'a Injector>,
    pub(super) metrics: &'a OperationMetrics,
    pub(super) concurrency: Option<&'a ConcurrencyLimit>,
    pub(super) max_body_bytes: usize,
    /// The longest time that the body of an error is read for.
    pub(super) patience: Duration,
    pub(super) below: Below<'a>,
}

impl Attempts<'_> {
    /// Sends `request` as attempt number `number` and reads its response, whose body
    /// goes where `beside` says, or else stays in it.
    ///
    /// `remaining` is the time left until the deadline of the call; the
    /// transport cuts the attempt off there.
    pub(super) async fn send(
        &self,
        mut request: Request,
        number: u32,
        remaining: Option<Duration>,
        extensions: &mut Extensions,
        beside: Option<&mut Bytes>,
    ) -> Result<Response> {
        let span = telemetry::attempt_span(self.metrics, &request, number);
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
        let exchange = pin!(async {
            let mut response = self.below.send(request, extensions).await?;
            let status = response.status();
            // The head decides: the other workers learn of a 429 before its body
            // has ended.
            if !status.is_success() {
                self.observe(status, &span);
            }
            // The body of a scripted transport may wait on the clock itself.
            let on_the_wire = self.below.is_on_the_wire(extensions);
            let _hold = on_the_wire.then(|| self.clock.hold());
            let body = body::read(&mut response, self.max_body_bytes, self.patience).await?;
            if status.is_success() {
                self.observe(status, &span);
            }
            Ok(match beside {
                Some(beside) => {
                    *beside = body;
                    response
                }
                None => body::with_body(response, body),
            })
        });
        // The URL of a request may hold a secret, and `reqwest` prints it.
        let result = telemetry::in_span(&span, exchange)
            .await
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
