//! One call of a client method, from its begin to its end or to its drop.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tracing::Span;

use super::{
    handles::OperationMetrics, observer::ObservedCall, outcome::CallOutcome, spans::operation_span,
};
use crate::{endpoint::Endpoint, error::ApiError, time::Clock};

/// A call that goes on. It is counted, and its span gets its outcome, when this
/// is dropped: by then it has ended, or its future was dropped, which is
/// [`CallOutcome::Cancelled`].
pub(crate) struct OpenCall<'a> {
    clock: &'a dyn Clock,
    began: Duration,
    /// The span of the call.
    pub(crate) span: Span,
    call: Arc<ObservedCall>,
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
            call: Arc::new(ObservedCall::new(metrics)),
            outcome: CallOutcome::Cancelled,
        }
    }

    /// The listener of its attempts.
    pub(crate) fn observer(&self) -> Arc<ObservedCall> {
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
