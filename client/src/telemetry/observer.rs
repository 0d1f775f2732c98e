//! The retry rules' reports, as spans and metrics.

use std::{sync::Arc, time::Duration};

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
        CallObserver, DecisionContext, FailureKind, LimitChange, Observer, RetryReason, StopReason,
        WaitSource,
    },
};

impl Observer for Metrics {
    fn call(&self, endpoint: Endpoint, method: &Method) -> Arc<dyn CallObserver> {
        self.operation(endpoint, method)
    }
}

impl CallObserver for OperationMetrics {
    fn attempt_starts(&self, request: &Request, number: u32) -> Span {
        attempt_span(self, request, number)
    }

    fn attempt_ends(
        &self,
        attempt: &Span,
        result: Result<StatusCode, FailureKind>,
        duration: Duration,
    ) {
        let result = match result {
            Ok(status) => AttemptResult::Status(status),
            Err(kind) => AttemptResult::Failure(kind),
        };
        record_attempt(attempt, result);
        self.attempt(result, duration);
    }

    fn limit_moves(&self, attempt: &Span, change: LimitChange) {
        if change.shrank {
            self.concurrency_reduction();
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
        self.retry(why, source, length);
        wait_span(source, length, context)
    }

    fn stops(&self, why: StopReason, context: &DecisionContext<'_>) {
        drop(stop_span(why, context));
        self.give_up(GiveUp::Retry(why));
    }

    fn misses_its_turn(&self, method: &Method, attempts: u32) {
        drop(late_turn_span(method, attempts));
        self.give_up(GiveUp::Retry(StopReason::Deadline));
    }
}
