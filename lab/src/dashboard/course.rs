//! What there is to play, and what the numbers are called.

use serde::Serialize;

use crate::{
    player::NAIVE_METRICS,
    scenario::{CATALOGUE, Scenario},
};

/// A scenario as the page shows it before a run. What there is to learn from it
/// comes with the run.
#[derive(Serialize)]
pub(super) struct Lesson {
    name: &'static str,
    title: &'static str,
    question: &'static str,
    hint: &'static str,
    listing: bool,
}

/// Every scenario, in the order of the course.
pub(super) fn scenarios() -> Vec<Lesson> {
    let lesson = |scenario: &Scenario| Lesson {
        name: scenario.name,
        title: scenario.title,
        question: scenario.question,
        hint: scenario.hint,
        listing: scenario.listing,
    };
    CATALOGUE.iter().map(lesson).collect()
}

/// The names of both sides' metrics.
#[derive(Serialize)]
pub(super) struct Vocabulary {
    metrics: Vec<Metric>,
}

#[derive(Serialize)]
struct Metric {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    labels: &'static [&'static str],
    question: &'static str,
}

/// Every metric of the clients and of the service.
pub(super) fn vocabulary() -> Vocabulary {
    let clients = client::telemetry::METRICS.iter().chain(&NAIVE_METRICS);
    let clients = clients.map(|metric| Metric {
        name: metric.name,
        kind: match metric.kind {
            client::telemetry::MetricKind::Counter => "counter",
            client::telemetry::MetricKind::Gauge => "gauge",
            client::telemetry::MetricKind::Histogram => "histogram",
        },
        unit: metric.unit.as_str(),
        labels: metric.labels,
        question: metric.question,
    });
    let service = server::telemetry::METRICS.iter().map(|metric| Metric {
        name: metric.name,
        kind: match metric.kind {
            server::telemetry::MetricKind::Counter => "counter",
            server::telemetry::MetricKind::Gauge => "gauge",
            server::telemetry::MetricKind::Histogram => "histogram",
        },
        unit: metric.unit,
        labels: metric.labels,
        question: metric.question,
    });
    Vocabulary {
        metrics: clients.chain(service).collect(),
    }
}
