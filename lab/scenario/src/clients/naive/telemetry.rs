//! The telemetry of the naive client: spans, with a target of their own, and the
//! counters of its run, under the names of the reference client's.

use client::{
    Endpoint, FailureKind,
    telemetry::{CALLS, CallOutcome, Metric, SharedRecorder, method_label, status_label},
};
use http::{Method, StatusCode};
use metrics::{counter, with_local_recorder};
use reqwest::Request;
use tracing::{Span, field::Empty};

use super::call::{Failure, MAX_ATTEMPTS};
use crate::StopReason;

/// The target of every span. It starts with `lab`, so that a filter for the lab
/// includes it.
const TARGET: &str = "lab::naive";

/// Counts one event; `values` are those of the metric's first labels, in their order.
pub(super) fn count<const N: usize>(
    recorder: &SharedRecorder,
    metric: Metric,
    values: [&'static str; N],
) {
    let labels: Vec<_> = metric.labels.iter().copied().zip(values).collect();
    with_local_recorder(&**recorder, || counter!(metric.name, &labels).increment(1));
}

/// The result of a request: status and body, or the failure.
type Sent = Result<(StatusCode, String), FailureKind>;

/// A call that goes on. It is counted when this is dropped: by then it has ended, or
/// its future was dropped.
pub(super) struct OpenCall<'a> {
    recorder: &'a SharedRecorder,
    endpoint: Endpoint,
    span: Span,
    attempts: u32,
    outcome: CallOutcome,
}

impl<'a> OpenCall<'a> {
    pub(super) fn begin(recorder: &'a SharedRecorder, endpoint: Endpoint) -> Self {
        let span = tracing::info_span!(
            target: TARGET,
            "operation",
            otel.name = endpoint.name(),
            otel.kind = "internal",
            otel.status_code = Empty,
            reliable_api_client.endpoint = endpoint.name(),
            reliable_api_client.attempts = Empty,
            reliable_api_client.outcome = Empty,
            "error.type" = Empty,
        );
        Self {
            recorder,
            endpoint,
            span,
            attempts: 0,
            outcome: CallOutcome::Cancelled,
        }
    }

    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    /// The number of the attempt that begins.
    pub(super) fn next_attempt(&mut self) -> u32 {
        self.attempts += 1;
        self.attempts
    }

    pub(super) fn end<T>(mut self, result: &Result<T, Failure>) {
        self.outcome = match result {
            Ok(_) => CallOutcome::Ok,
            Err(failure) => {
                self.span.record("error.type", failure.error_type());
                self.span.record("otel.status_code", "ERROR");
                failure.call_outcome()
            }
        };
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.span
            .record("reliable_api_client.attempts", i64::from(self.attempts));
        self.span
            .record("reliable_api_client.outcome", self.outcome.as_str());
        let retried = if self.attempts > 1 { "true" } else { "false" };
        let labels = [self.endpoint.name(), self.outcome.as_str(), retried];
        count(self.recorder, CALLS, labels);
    }
}

pub(super) fn attempt_span(endpoint: Endpoint, request: &Request, attempt: u32) -> Span {
    let method = method_label(request.method());
    let span = tracing::info_span!(
        target: TARGET,
        "attempt",
        otel.name = %format_args!("{method} {}", endpoint.template()),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = method,
        url.template = endpoint.template(),
        server.address = request.url().host_str(),
        server.port = request.url().port_or_known_default().map(i64::from),
        http.request.resend_count = Empty,
        http.response.status_code = Empty,
        "error.type" = Empty,
    );
    if attempt > 1 {
        span.record("http.request.resend_count", i64::from(attempt - 1));
    }
    span
}

pub(super) fn record_attempt(span: &Span, result: &Sent) {
    if let Ok((status, _)) = result {
        span.record("http.response.status_code", i64::from(status.as_u16()));
        if status.is_success() {
            return;
        }
    }
    span.record("error.type", result_label(result));
    span.record("otel.status_code", "ERROR");
}

/// The decision not to try again: after so many attempts, or since there is nothing
/// to wait for but the lab's patience.
pub(super) fn stop_span(
    why: StopReason,
    method: &Method,
    reason: &'static str,
    attempt: u32,
) -> Span {
    tracing::info_span!(
        target: TARGET,
        "stop",
        otel.name = "stop",
        otel.kind = "internal",
        otel.status_code = Empty,
        reliable_api_client.stop.reason = why.as_str(),
        reliable_api_client.retry.reason = reason,
        http.request.method = method_label(method),
        reliable_api_client.retry.attempt = i64::from(attempt),
        reliable_api_client.retry.max_attempts = i64::from(MAX_ATTEMPTS),
    )
}

pub(super) fn result_label(result: &Sent) -> &'static str {
    match result {
        Ok((status, _)) => status_label(*status),
        Err(kind) => kind.as_str(),
    }
}
