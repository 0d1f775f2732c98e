//! The spans, and what they may hold: the fields named here, and no others.
//!
//! Of a request only its method is read and, of its URL, host and port: never a
//! header, a path, a query or a body. So no log of spans can hold a credential,
//! a full URL or a full body.

use std::time::Duration;

use tracing::{Span, field::Empty};

use super::labels::{self, AttemptResult};
use crate::{
    endpoint::Endpoint,
    retry::{RetryReason, WaitSource},
};

/// The target of every span.
pub const TARGET: &str = "client";

/// One call of a client method.
pub(super) fn operation_span(endpoint: Endpoint) -> Span {
    tracing::info_span!(
        target: TARGET,
        "operation",
        otel.name = endpoint.name(),
        otel.kind = "internal",
        otel.status_code = Empty,
        endpoint = endpoint.name(),
        attempts = Empty,
        outcome = Empty,
        "error.type" = Empty,
    )
}

/// One request on the wire.
pub(crate) fn attempt_span(endpoint: Endpoint, request: &reqwest::Request, attempt: u32) -> Span {
    let method = labels::method(request.method());
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

/// Notes how an attempt ended on its span.
pub(crate) fn record_attempt(span: &Span, result: AttemptResult) {
    if let Some(status) = result.status() {
        span.record("http.response.status_code", i64::from(status.as_u16()));
    }
    if let Some(error) = result.error_type() {
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
}

/// One pause before a retry.
pub(crate) fn wait_span(why: RetryReason, source: WaitSource, length: Duration) -> Span {
    tracing::info_span!(
        target: TARGET,
        "wait",
        otel.name = "wait",
        otel.kind = "internal",
        otel.status_code = Empty,
        retry.reason = labels::reason(why),
        wait.source = labels::wait_source(source),
        wait.seconds = length.as_secs_f64(),
    )
}
