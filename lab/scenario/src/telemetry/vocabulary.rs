//! The metrics of both sides.

use crate::Metric;

/// Every metric of the client and of the service.
#[must_use]
pub fn metrics() -> Vec<Metric> {
    let client = client::telemetry::METRICS.iter().map(|metric| Metric {
        name: metric.name,
        kind: match metric.kind {
            client::telemetry::MetricKind::Counter => "counter",
            client::telemetry::MetricKind::Histogram => "histogram",
        },
        unit: metric.unit.as_str(),
        labels: metric.labels,
        question: metric.question,
    });
    let service = host::telemetry::METRICS.iter().map(|metric| Metric {
        name: metric.name,
        kind: match metric.kind {
            host::telemetry::MetricKind::Counter => "counter",
            host::telemetry::MetricKind::Gauge => "gauge",
            host::telemetry::MetricKind::Histogram => "histogram",
        },
        unit: metric.unit,
        labels: metric.labels,
        question: metric.question,
    });
    client.chain(service).collect()
}
