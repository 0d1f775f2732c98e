//! The spans, and what they may hold: the fields named here, and no others.
//!
//! Of a request only its method is read and, of its URL, host and port: never a
//! header, a path, a query or a body. Of a response only its status is, and the
//! seconds of a `Retry-After` that can be read. So no log of spans can hold a credential,
//! a full URL or a full body.

use std::time::Duration;

use http::{Method, StatusCode};
use tracing::{Span, field::Empty};

use super::{
    handles::OperationMetrics,
    labels::{self, AttemptResult},
};
use crate::{
    endpoint::Endpoint,
    error::{FailureKind, StopReason},
    retry::{DecisionContext, LimitChange, RetryAfter, RetryReason, Verdict, WaitSource},
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
        reliable_api_client.endpoint = endpoint.name(),
        reliable_api_client.attempts = Empty,
        reliable_api_client.outcome = Empty,
        "error.type" = Empty,
        reliable_api_client.problem = Empty,
    )
}

/// One request on the wire.
pub(super) fn attempt_span(
    operation: &OperationMetrics,
    request: &reqwest::Request,
    attempt: u32,
) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "attempt",
        otel.name = operation.request_name.as_str(),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = operation.method,
        url.template = operation.endpoint.template(),
        server.address = request.url().host_str(),
        server.port = request.url().port_or_known_default().map(i64::from),
        http.request.resend_count = Empty,
        http.response.status_code = Empty,
        "error.type" = Empty,
        reliable_api_client.concurrency.limit_before = Empty,
        reliable_api_client.concurrency.limit_after = Empty,
    );
    if attempt > 1 {
        span.record("http.request.resend_count", i64::from(attempt - 1));
    }
    span
}

/// Notes how an attempt ended on its span.
pub(super) fn record_attempt(span: &Span, result: AttemptResult, head: Option<StatusCode>) {
    if let Some(status) = head {
        tracing::record_all!(span, http.response.status_code = i64::from(status.as_u16()));
    }
    if let Some(error) = labels::error_type(result) {
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
}

/// Notes on the span of an attempt what its response did to the concurrency limit.
pub(super) fn record_limit(span: &Span, change: LimitChange) {
    let whole = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
    tracing::record_all!(
        span,
        reliable_api_client.concurrency.limit_before = whole(change.before),
        reliable_api_client.concurrency.limit_after = whole(change.after)
    );
}

/// One wait for a turn under a concurrency limit of so many attempts.
pub(super) fn queue_span(limit: usize) -> Span {
    tracing::info_span!(
        target: TARGET,
        "queue",
        otel.name = "queue",
        otel.kind = "internal",
        otel.status_code = Empty,
        reliable_api_client.concurrency.max = i64::try_from(limit).unwrap_or(i64::MAX),
    )
}

/// A span of a decision: fields of its own, and those of [`record_context`].
macro_rules! decision_span {
    ($name:literal, $($own:tt)*) => {
        tracing::info_span!(
            target: TARGET,
            $name,
            otel.name = $name,
            otel.kind = "internal",
            otel.status_code = Empty,
            http.request.method = Empty,
            reliable_api_client.retry.allowed_by = Empty,
            reliable_api_client.retry.attempt = Empty,
            reliable_api_client.retry.max_attempts = Empty,
            reliable_api_client.retry_after.form = Empty,
            reliable_api_client.retry_after.seconds = Empty,
            reliable_api_client.retry_after.max_seconds = Empty,
            reliable_api_client.deadline.remaining_seconds = Empty,
            reliable_api_client.retry_budget.tokens = Empty,
            $($own)*
        )
    };
}

/// One pause before a retry.
pub(super) fn wait_span(
    source: WaitSource,
    length: Duration,
    context: &DecisionContext<'_>,
) -> Span {
    let span = decision_span!(
        "wait",
        reliable_api_client.retry.reason = labels::verdict_reason(context.facts.verdict),
        reliable_api_client.wait.source = labels::wait_source(source),
        reliable_api_client.wait.seconds = length.as_secs_f64(),
        reliable_api_client.wait.ceiling_seconds = match source {
            WaitSource::Backoff => context.ceiling.map(|ceiling| ceiling.as_secs_f64()),
            WaitSource::RetryAfter => None,
        },
    );
    record_context(&span, context);
    span
}

/// The decision not to try again.
pub(super) fn stop_span(why: StopReason, context: &DecisionContext<'_>) -> Span {
    let span = empty_stop_span(labels::stop_reason(why));
    tracing::record_all!(
        span,
        reliable_api_client.retry.reason = labels::verdict_reason(context.facts.verdict),
        reliable_api_client.stop.wait_seconds = context.weighed().map(|wait| wait.as_secs_f64())
    );
    record_context(&span, context);
    span
}

/// The end of a call whose deadline passed before its next attempt had a turn.
pub(super) fn late_turn_span(request: &Method, attempts: u32) -> Span {
    let span = empty_stop_span(labels::stop_reason(StopReason::Deadline));
    tracing::record_all!(
        span,
        reliable_api_client.retry.reason = FailureKind::QueueTimeout.as_str(),
        http.request.method = labels::method(request),
        reliable_api_client.retry.attempt = i64::from(attempts),
        reliable_api_client.deadline.remaining_seconds = 0.0
    );
    span
}

fn empty_stop_span(why: &'static str) -> Span {
    decision_span!(
        "stop",
        reliable_api_client.stop.reason = why,
        reliable_api_client.retry.reason = Empty,
        reliable_api_client.stop.wait_seconds = Empty,
    )
}

/// Notes what a decision rested on: numbers and closed words, so that no span holds
/// the text of a server or of a caller.
fn record_context(span: &Span, context: &DecisionContext<'_>) {
    let DecisionContext {
        method,
        facts,
        state,
        limits,
        tokens,
        ..
    } = context;
    let responded = matches!(facts.verdict, Verdict::Transient(RetryReason::Status(_)));
    tracing::record_all!(
        span,
        http.request.method = labels::method(method),
        reliable_api_client.retry.allowed_by = labels::allowed_by(state.eligibility, method),
        reliable_api_client.retry.attempt = i64::from(state.attempts),
        reliable_api_client.retry.max_attempts = i64::from(limits.max_attempts),
        reliable_api_client.retry_after.form =
            responded.then(|| labels::retry_after_form(facts.retry_after)),
        reliable_api_client.retry_after.seconds = facts
            .retry_after
            .and_then(RetryAfter::wait)
            .map(|wait| wait.as_secs_f64()),
        reliable_api_client.retry_after.max_seconds = limits.max_retry_after.as_secs_f64(),
        reliable_api_client.deadline.remaining_seconds =
            state.remaining.map(|left| left.as_secs_f64()),
        reliable_api_client.retry_budget.tokens = *tokens
    );
}
