//! The retry rules' reports, as spans and metrics.

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
    handles::{Metrics, OperationMetrics},
    labels::{AttemptResult, GiveUp},
    spans::{
        attempt_span, late_turn_span, queue_span, record_attempt, record_limit, stop_span,
        wait_span,
    },
};
use crate::{
    endpoint::Endpoint,
    retry::{
        CallObserver, DecisionContext, LimitChange, Observer, RetryReason, StopReason, WaitSource,
    },
};

impl Observer for Metrics {
    fn call(&self, endpoint: Endpoint, method: &Method) -> Arc<dyn CallObserver> {
        Arc::new(ObservedCall::new(self.operation(endpoint, method)))
    }
}

/// One call: the metrics of its operation, and the number of its attempts so far.
pub(super) struct ObservedCall {
    pub(super) operation: Arc<OperationMetrics>,
    /// The number of requests that the call has sent so far.
    pub(super) attempts: AtomicU32,
}

impl ObservedCall {
    pub(super) fn new(operation: Arc<OperationMetrics>) -> Self {
        Self {
            operation,
            attempts: AtomicU32::new(0),
        }
    }
}

impl CallObserver for ObservedCall {
    fn attempt_starts(&self, request: &Request, number: u32) -> Span {
        self.attempts.store(number, Ordering::Relaxed);
        attempt_span(&self.operation, request, number)
    }

    fn attempt_ends(
        &self,
        attempt: &Span,
        result: AttemptResult,
        head: Option<StatusCode>,
        duration: Duration,
    ) {
        record_attempt(attempt, result, head);
        self.operation.attempt(result, head, duration);
    }

    fn limit_moves(&self, attempt: &Span, change: LimitChange) {
        if change.shrank {
            self.operation.concurrency_reduction();
        }
        if change.before != change.after {
            record_limit(attempt, change);
        }
    }

    fn queues(&self, limit: usize) -> Span {
        queue_span(limit)
    }

    fn waits(
        &self,
        length: Duration,
        why: RetryReason,
        source: WaitSource,
        context: &DecisionContext<'_>,
    ) -> Span {
        self.operation.retry(why, source);
        wait_span(source, length, context)
    }

    fn waited(&self, source: WaitSource, length: Duration) {
        self.operation.waited(source, length);
    }

    fn stops(&self, why: StopReason, context: &DecisionContext<'_>) {
        drop(stop_span(why, context));
        self.operation.give_up(GiveUp::Retry(why));
    }

    fn misses_its_turn(&self, method: &Method, attempts: u32) {
        drop(late_turn_span(method, attempts));
        self.operation.give_up(GiveUp::Retry(StopReason::Deadline));
    }
}
