//! The events: one for each retry, and one for each give-up.
//!
//! A subscriber that prints no spans, as a plain `tracing_subscriber::fmt()` does, shows
//! the decisions of the client by these alone. Their fields are those of the spans `wait`
//! and `stop`, so what holds for the spans holds here: no secret of a request and no text
//! of a response is among them.

use std::time::Duration;

use tracing::field::Empty;

use super::{
    handles::OperationMetrics,
    labels::{self, GiveUp},
    spans::TARGET,
};
use crate::{
    error::{FailureKind, StopReason},
    retry::{DecisionContext, RetryReason, WaitSource},
};

/// A wait for another attempt begins.
pub(super) fn retry(
    operation: &OperationMetrics,
    why: RetryReason,
    source: WaitSource,
    length: Duration,
    attempts: u32,
) {
    tracing::warn!(
        name: "retry",
        target: TARGET,
        {
            http.request.method = operation.method,
            url.template = operation.endpoint.template(),
            reliable_api_client.retry.reason = labels::reason(why),
            reliable_api_client.retry.attempt = i64::from(attempts),
            reliable_api_client.wait.source = labels::wait_source(source),
            reliable_api_client.wait.seconds = length.as_secs_f64(),
        },
        "retrying"
    );
}

/// The event of a call that ends because of `$why`. Its level belongs to its place in the
/// code, so each level needs a place of its own.
macro_rules! give_up {
    ($level:ident, $operation:expr, $why:expr, $failure:expr, $attempts:expr, $wait:expr) => {
        tracing::$level!(
            name: "give_up",
            target: TARGET,
            {
                http.request.method = $operation.method,
                url.template = $operation.endpoint.template(),
                reliable_api_client.stop.reason = $why,
                reliable_api_client.retry.reason = $failure,
                reliable_api_client.retry.attempt = $attempts,
                reliable_api_client.stop.wait_seconds = $wait,
            },
            "giving up"
        )
    };
}

/// A retry rule ends a call.
pub(super) fn stop(operation: &OperationMetrics, why: StopReason, context: &DecisionContext<'_>) {
    macro_rules! stop {
        ($level:ident) => {
            give_up!(
                $level,
                operation,
                labels::stop_reason(why),
                labels::verdict_reason(context.facts.verdict),
                i64::from(context.state.attempts),
                context.weighed().map(|wait| wait.as_secs_f64())
            )
        };
    }
    match why {
        // The caller asked for a single attempt when it made the request.
        StopReason::NotEligible | StopReason::BodyIsStream => stop!(debug),
        _ => stop!(warn),
    }
}

/// The deadline of a call passed before its next attempt had a turn.
pub(super) fn late_turn(operation: &OperationMetrics, attempts: u32) {
    let why = labels::stop_reason(StopReason::Deadline);
    let failure = FailureKind::QueueTimeout.as_str();
    give_up!(warn, operation, why, failure, i64::from(attempts), Empty);
}

/// A limit of the client ends a listing.
pub(super) fn limit(operation: &OperationMetrics, why: GiveUp) {
    give_up!(warn, operation, why.as_str(), Empty, Empty, Empty);
}
