//! One call of a client method, from its begin to its end or to its drop.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use tracing::Span;

use super::{handles::OperationMetrics, outcome::CallOutcome, spans::operation_span};
use crate::{endpoint::Endpoint, error::ApiError, time::Clock};

/// A call that goes on. It is counted, and its span gets its outcome, when this
/// is dropped: by then it has ended, or its future was dropped, which is
/// [`CallOutcome::Cancelled`].
pub(crate) struct OpenCall<'a> {
    clock: &'a dyn Clock,
    began: Duration,
    span: Span,
    metrics: &'a OperationMetrics,
    attempts: AttemptCount,
    outcome: CallOutcome,
    error_type: Option<&'static str>,
    problem: Option<&'static str>,
}

/// How many requests a call has put on the wire so far.
///
/// The retry rules count, and whoever began the call can read the number even if
/// its future is dropped.
#[derive(Debug, Default)]
pub(crate) struct AttemptCount(AtomicU32);

impl AttemptCount {
    /// Counts one more; the new number.
    pub(crate) fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl<'a> OpenCall<'a> {
    /// Begins a call.
    pub(crate) fn begin(
        metrics: &'a OperationMetrics,
        endpoint: Endpoint,
        clock: &'a dyn Clock,
    ) -> Self {
        Self {
            began: clock.monotonic(),
            clock,
            span: operation_span(endpoint),
            metrics,
            attempts: AttemptCount::default(),
            outcome: CallOutcome::Cancelled,
            error_type: None,
            problem: None,
        }
    }

    /// When it began, on the monotonic clock.
    pub(crate) fn began(&self) -> Duration {
        self.began
    }

    /// The span of the call.
    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// The count of its attempts.
    pub(crate) fn attempts(&self) -> &AttemptCount {
        &self.attempts
    }

    /// Ends the call with this result.
    pub(crate) fn end<T>(mut self, result: &Result<T, ApiError>) {
        self.outcome = CallOutcome::of(result);
        let error = result.as_ref().err();
        self.error_type = error.map(ApiError::error_type);
        self.problem = error.and_then(ApiError::problem);
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        let attempts = self.attempts.get();
        let duration = self.clock.monotonic().saturating_sub(self.began);
        self.metrics.call(self.outcome, attempts, duration);
        tracing::record_all!(
            self.span,
            attempts = i64::from(attempts),
            outcome = self.outcome.as_str()
        );
        if let Some(error_type) = self.error_type {
            tracing::record_all!(
                self.span,
                "error.type" = error_type,
                "otel.status_code" = "ERROR",
                problem = self.problem
            );
        }
    }
}
