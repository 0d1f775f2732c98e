//! Reports on a call, as spans and metrics, from its begin to its end or to its drop.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use http::{Method, StatusCode};
use reqwest::Request;
use tracing::Span;

use super::{
    events,
    handles::{Metrics, OperationMetrics},
    labels::{AttemptResult, GiveUp},
    outcome::CallOutcome,
    spans::{
        attempt_span, late_turn_span, operation_span, queue_span, record_attempt, record_limit,
        stop_span, wait_span,
    },
};
use crate::{
    clock::Clock,
    endpoint::Endpoint,
    error::{ApiError, StopReason},
    retry::{DecisionContext, LimitChange, RetryReason, WaitSource},
};

/// A call that goes on. It is counted, and its span gets its outcome, when this
/// is dropped: by then it has ended, or its future was dropped, which is
/// [`CallOutcome::Cancelled`].
pub(crate) struct OpenCall<'a> {
    clock: &'a dyn Clock,
    began: Duration,
    /// The span of the call.
    pub(crate) span: Span,
    call: Arc<CallObserver>,
    outcome: CallOutcome,
}

impl<'a> OpenCall<'a> {
    /// Begins a call.
    pub(crate) fn begin(
        metrics: Arc<OperationMetrics>,
        endpoint: Endpoint,
        clock: &'a dyn Clock,
    ) -> Self {
        Self {
            began: clock.monotonic(),
            clock,
            span: operation_span(endpoint),
            call: Arc::new(CallObserver::new(metrics)),
            outcome: CallOutcome::Cancelled,
        }
    }

    /// A limit of the client forbids the request of this call.
    pub(crate) fn reaches_a_limit(&self, why: GiveUp) {
        self.span
            .in_scope(|| events::limit(&self.call.operation, why));
        self.call.operation.give_up(why);
    }

    /// The listener of its attempts.
    pub(crate) fn observer(&self) -> Arc<CallObserver> {
        Arc::clone(&self.call)
    }

    /// Ends the call with this result.
    pub(crate) fn end<T>(mut self, result: &Result<T, ApiError>) {
        self.outcome = CallOutcome::of(result);
        if let Err(error) = result {
            tracing::record_all!(
                self.span,
                "error.type" = error.error_type(),
                "otel.status_code" = "ERROR",
                reliable_api_client.problem = error.problem()
            );
        }
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        let attempts = self.call.attempts.load(Ordering::Relaxed);
        let duration = self.clock.monotonic().saturating_sub(self.began);
        self.call.operation.call(self.outcome, attempts, duration);
        tracing::record_all!(
            self.span,
            reliable_api_client.attempts = i64::from(attempts),
            reliable_api_client.outcome = self.outcome.as_str()
        );
    }
}

impl Metrics {
    /// A call that no client method makes.
    pub(crate) fn call(&self, endpoint: Endpoint, method: &Method) -> Arc<CallObserver> {
        Arc::new(CallObserver::new(self.operation(endpoint, method)))
    }
}

/// One call: the metrics of its operation, and the number of its attempts so far. The call of
/// a client method is an extension of its request.
pub(crate) struct CallObserver {
    pub(super) operation: Arc<OperationMetrics>,
    /// The number of requests that the call has sent so far.
    pub(super) attempts: AtomicU32,
}

impl CallObserver {
    fn new(operation: Arc<OperationMetrics>) -> Self {
        Self {
            operation,
            attempts: AtomicU32::new(0),
        }
    }

    /// Attempt number `number` is about to be sent; its span is that of the work on it.
    pub(crate) fn attempt_starts(&self, request: &Request, number: u32) -> Span {
        self.attempts.store(number, Ordering::Relaxed);
        attempt_span(&self.operation, request, number)
    }

    /// The attempt ended, with a complete response or without one. A failure has a head if
    /// the body broke off after it.
    pub(crate) fn attempt_ends(
        &self,
        attempt: &Span,
        result: AttemptResult,
        head: Option<StatusCode>,
        duration: Duration,
    ) {
        record_attempt(attempt, result, head);
        self.operation.attempt(result, head, duration);
    }

    /// The response of the attempt changed the concurrency limit.
    pub(crate) fn limit_moves(&self, attempt: &Span, change: LimitChange) {
        if change.shrank {
            self.operation.concurrency_reduction();
        }
        if change.before != change.after {
            record_limit(attempt, change);
        }
    }

    /// The concurrency limit of `limit` attempts has no free slot: a wait for a turn begins.
    pub(crate) fn queues(&self, limit: usize) -> Span {
        queue_span(limit)
    }

    /// A wait for another attempt begins.
    pub(crate) fn waits(
        &self,
        length: Duration,
        why: RetryReason,
        source: WaitSource,
        context: &DecisionContext<'_>,
    ) -> Span {
        events::retry(&self.operation, why, source, length, context.state.attempts);
        self.operation.retry(why, source);
        wait_span(source, length, context)
    }

    /// The wait that began last has ended after this time: the next attempt has its turn, or
    /// the future of the call was dropped.
    pub(crate) fn waited(&self, source: WaitSource, length: Duration) {
        self.operation.waited(source, length);
    }

    /// A retry rule ends the call.
    pub(crate) fn stops(&self, why: StopReason, context: &DecisionContext<'_>) {
        drop(stop_span(why, context));
        events::stop(&self.operation, why, context);
        self.operation.give_up(GiveUp::Retry(why));
    }

    /// The deadline passed after `attempts` attempts, before the next one had a turn.
    pub(crate) fn misses_its_turn(&self, method: &Method, attempts: u32) {
        drop(late_turn_span(method, attempts));
        events::late_turn(&self.operation, attempts);
        self.operation.give_up(GiveUp::Retry(StopReason::Deadline));
    }
}
