//! The metrics of both sides.

use serde::Serialize;

/// A metric of a client or of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// Its name at `/metrics`.
    pub name: &'static str,
    /// `counter`, `gauge` or `histogram`.
    pub kind: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// The question that it answers, which is also its help text.
    pub question: &'static str,
}

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
