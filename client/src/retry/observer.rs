//! What the retry rules report while they make a call.
//!
//! They know nobody who listens. A span that comes back is the one in which the reported
//! work runs; what it and the metrics are called is the listener's business.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, Method, StatusCode};
use reqwest::Request;
use tracing::Span;

use super::{
    concurrency::LimitChange,
    decision::{DecisionContext, RetryReason, StopReason, WaitSource},
    failure::FailureKind,
};
use crate::endpoint::Endpoint;

/// Writes the context of an attempt's span into the headers of its request, so
/// that the trace goes on at the service (W3C Trace Context).
///
/// Plain `tracing` has no trace ids; the layer that records the spans has them.
pub type Injector = Arc<dyn Fn(&Span, &mut HeaderMap) + Send + Sync>;

/// Listens to every call of a middleware.
pub(crate) trait Observer: Send + Sync {
    /// A call begins; what listens to it.
    fn call(&self, endpoint: Endpoint, method: &Method) -> Arc<dyn CallObserver>;
}

/// Listens to one call.
pub(crate) trait CallObserver: Send + Sync {
    /// Attempt number `number` is about to be sent.
    fn attempt_starts(&self, request: &Request, number: u32) -> Span;

    /// The attempt ended, with a complete response or without one.
    fn attempt_ends(
        &self,
        attempt: &Span,
        result: Result<StatusCode, FailureKind>,
        duration: Duration,
    );

    /// The response of the attempt moved the concurrency limit.
    fn limit_moves(&self, attempt: &Span, change: LimitChange);

    /// The concurrency limit, of so many attempts, has no slot: a wait for a turn begins.
    fn queues(&self, limit: usize) -> Span;

    /// A wait for another attempt begins.
    fn waits(
        &self,
        length: Duration,
        why: RetryReason,
        source: WaitSource,
        context: &DecisionContext<'_>,
    ) -> Span;

    /// A retry rule ends the call.
    fn stops(&self, why: StopReason, context: &DecisionContext<'_>);

    /// The deadline passed before the next attempt, after so many, had a turn.
    fn misses_its_turn(&self, method: &Method, attempts: u32);
}
