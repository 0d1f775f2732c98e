//! The metrics of a client that is built without the feature `metrics`: none.

use std::{sync::Arc, time::Duration};

use http::{Method, StatusCode};

use super::{
    labels::{self, AttemptResult, GiveUp},
    outcome::CallOutcome,
};
use crate::{
    endpoint::Endpoint,
    retry::{RetryReason, WaitSource},
};

/// Counts nothing.
#[derive(Default)]
pub(crate) struct Metrics;

impl Metrics {
    /// One endpoint and method.
    pub(crate) fn operation(&self, endpoint: Endpoint, method: &Method) -> Arc<OperationMetrics> {
        let method = labels::method(method);
        Arc::new(OperationMetrics {
            endpoint,
            method,
            request_name: format!("{method} {}", endpoint.template()),
        })
    }
}

/// The labels of one endpoint and method in spans.
pub(crate) struct OperationMetrics {
    pub(super) endpoint: Endpoint,
    /// The label of the method.
    pub(super) method: &'static str,
    /// OpenTelemetry's name for the span of a request: its method and its template.
    pub(super) request_name: String,
}

impl OperationMetrics {
    pub(super) fn call(&self, _: CallOutcome, _: u32, _: Duration) {}

    pub(super) fn attempt(&self, _: AttemptResult, _: Option<StatusCode>, _: Duration) {}

    pub(super) fn retry(&self, _: RetryReason, _: WaitSource) {}

    pub(super) fn waited(&self, _: WaitSource, _: Duration) {}

    pub(crate) fn give_up(&self, _: GiveUp) {}

    pub(crate) fn cursor_loop(&self) {}

    pub(super) fn concurrency_reduction(&self) {}
}
