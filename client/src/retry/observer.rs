//! The events that the retry rules report during a call.
//!
//! The retry rules do not depend on a listener. A returned span is the one in which the
//! reported work runs; the listener chooses the names of spans and metrics.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, Method, StatusCode};
use reqwest::Request;
use tracing::Span;

use super::{
    decision::{DecisionContext, RetryReason, StopReason, WaitSource},
    facts::FailureKind,
    shared::LimitChange,
};
use crate::endpoint::Endpoint;

/// Writes the context of an attempt's span into the headers of its request, so that the
/// trace continues at the service (W3C Trace Context).
///
/// Plain `tracing` has no trace ids; the layer that records the spans has them.
pub type Injector = Arc<dyn Fn(&Span, &mut HeaderMap) + Send + Sync>;

/// Listens to every call of a middleware.
pub(crate) trait Observer: Send + Sync {
    /// A call begins; returns its listener.
    fn call(&self, endpoint: Endpoint, method: &Method) -> Arc<dyn CallObserver>;
}

/// The listener of a call, as an extension of its request.
#[derive(Clone)]
pub(crate) struct ObservedBy(pub(crate) Arc<dyn CallObserver>);

/// Listens to one call.
pub(crate) trait CallObserver: Send + Sync {
    /// Attempt number `number` is about to be sent.
    fn attempt_starts(&self, request: &Request, number: u32) -> Span;

    /// The attempt ended, with a complete response or without one. A failure has a head if
    /// the body broke off after it.
    fn attempt_ends(
        &self,
        attempt: &Span,
        result: Result<StatusCode, FailureKind>,
        head: Option<StatusCode>,
        duration: Duration,
    );

    /// The response of the attempt changed the concurrency limit.
    fn limit_moves(&self, attempt: &Span, change: LimitChange);

    /// The concurrency limit of `limit` attempts has no free slot: a wait for a turn
    /// begins.
    fn queues(&self, limit: usize) -> Span;

    /// A wait for another attempt begins.
    fn waits(
        &self,
        length: Duration,
        why: RetryReason,
        source: WaitSource,
        context: &DecisionContext<'_>,
    ) -> Span;

    /// The wait that began last has ended after this time: the next attempt has its turn,
    /// or the future of the call was dropped.
    fn waited(&self, source: WaitSource, length: Duration);

    /// A retry rule ends the call.
    fn stops(&self, why: StopReason, context: &DecisionContext<'_>);

    /// The deadline passed after `attempts` attempts, before the next one had a turn.
    fn misses_its_turn(&self, method: &Method, attempts: u32);
}
