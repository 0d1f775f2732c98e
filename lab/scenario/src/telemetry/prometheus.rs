//! The Prometheus recorder on which client and service stand together.

use client::telemetry::{
    CALL_ATTEMPTS, CALL_ATTEMPTS_BUCKETS, CALL_DURATION, CALL_DURATION_BUCKETS, DURATION_BUCKETS,
    REQUEST_DURATION, RETRY_WAIT, WAIT_BUCKETS,
};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};

/// A recorder with the buckets of both vocabularies. A histogram without
/// buckets would render as a summary, which cannot be added up over instances.
///
/// A client and a service register with it when they are built, and what its
/// handle renders is what Prometheus scrapes. Somebody has to call the handle's
/// `run_upkeep` every few seconds, or observations pile up between scrapes.
#[must_use]
#[expect(clippy::expect_used, reason = "the buckets are constants")]
pub fn prometheus_recorder() -> PrometheusRecorder {
    let service = &host::telemetry::REQUEST_DURATION;
    let buckets: [(&str, &[f64]); 5] = [
        (CALL_DURATION.name, &CALL_DURATION_BUCKETS),
        (CALL_ATTEMPTS.name, &CALL_ATTEMPTS_BUCKETS),
        (RETRY_WAIT.name, &WAIT_BUCKETS),
        (REQUEST_DURATION.name, &DURATION_BUCKETS),
        (service.name, &host::telemetry::DURATION_BUCKETS),
    ];
    let mut builder = PrometheusBuilder::new();
    for (metric, bounds) in buckets {
        builder = builder
            .set_buckets_for_metric(Matcher::Full(metric.to_owned()), bounds)
            .expect("no list of buckets is empty");
    }
    builder.build_recorder()
}
