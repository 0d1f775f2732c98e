//! The service's metrics.
//!
//! Series of events that can be foreseen are there from the start, at zero, so that a
//! dashboard can tell "never happened" from "not measured", and a first event is a rise.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use metrics::{
    Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, SharedString, Unit,
};

use crate::problem::Problem;
use crate::routes::ExpectedRoute;
use crate::telemetry::{
    ACTIVE_REQUESTS, EARLY_RETRIES, FAULTS, JOB_RESULTS, JOBS, METHODS, METRICS, MetricKind,
    MetricSpec, OTHER, OTHER_METHOD, REFUSED, REQUEST_DURATION, method_label, status_label,
};
use wire::{FaultLabel, JobResult};

type SharedRecorder = Arc<dyn Recorder + Send + Sync>;

const METADATA: Metadata<'static> = Metadata::new("server", Level::INFO, Some(module_path!()));

/// The metrics of one service.
pub(crate) struct Instruments {
    recorder: SharedRecorder,
}

impl Instruments {
    /// Registers what every service has, and what these routes may be counted for.
    pub(crate) fn register(recorder: SharedRecorder, expected: &[ExpectedRoute]) -> Self {
        METRICS.iter().for_each(|spec| describe(&*recorder, spec));
        let instruments = Self { recorder };

        for result in JOB_RESULTS {
            drop(instruments.counter(&JOBS, result));
        }
        for method in METHODS {
            drop(instruments.active(method));
            for problem in [Problem::NOT_FOUND, Problem::METHOD_NOT_ALLOWED] {
                drop(instruments.duration(OTHER, method, problem.status));
            }
        }
        for problem in Problem::REFUSALS {
            drop(instruments.duration(REFUSED, OTHER_METHOD, problem.status));
        }
        for route in expected {
            for fault in &route.faults {
                drop(instruments.counter(&FAULTS, fault.0));
            }
            for status in &route.statuses {
                drop(instruments.duration(route.path, method_label(&route.method), *status));
            }
            if route.has_retry_after {
                drop(instruments.counter(&EARLY_RETRIES, route.path));
            }
        }
        instruments
    }

    /// Counts a response. A 405 is the host's own, and not that of the route.
    pub(crate) fn observe(
        &self,
        route: &str,
        method: &'static str,
        status: StatusCode,
        took: Duration,
    ) {
        let route = match status {
            StatusCode::METHOD_NOT_ALLOWED => OTHER,
            _ => route,
        };
        let duration = self.duration(route.to_owned(), method, status);
        duration.record(took.as_secs_f64());
    }

    /// Counts a request that was not admitted.
    pub(crate) fn count_refused(&self, status: StatusCode, took: Duration) {
        let duration = self.duration(REFUSED, OTHER_METHOD, status);
        duration.record(took.as_secs_f64());
    }

    pub(crate) fn count_early(&self, route: &str) {
        self.counter(&EARLY_RETRIES, route.to_owned()).increment(1);
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "JOB_RESULTS has a label for each result"
    )]
    pub(crate) fn count_job(&self, result: JobResult) {
        self.counter(&JOBS, JOB_RESULTS[result as usize])
            .increment(1);
    }

    pub(crate) fn count_fault(&self, fault: FaultLabel) {
        self.counter(&FAULTS, fault.0).increment(1);
    }

    /// How many requests with this method wait for a response.
    pub(crate) fn active(&self, method: &'static str) -> Gauge {
        let key = key(&ACTIVE_REQUESTS, [method.into()]);
        self.recorder.register_gauge(&key, &METADATA)
    }

    fn counter(&self, spec: &MetricSpec, value: impl Into<SharedString>) -> Counter {
        let key = key(spec, [value.into()]);
        self.recorder.register_counter(&key, &METADATA)
    }

    fn duration(
        &self,
        route: impl Into<SharedString>,
        method: &'static str,
        status: StatusCode,
    ) -> Histogram {
        let labels = [method.into(), route.into(), status_label(status).into()];
        let key = key(&REQUEST_DURATION, labels);
        self.recorder.register_histogram(&key, &METADATA)
    }
}

fn describe(recorder: &(dyn Recorder + Send + Sync), spec: &MetricSpec) {
    let (name, question) = (spec.name.into(), spec.question.into());
    match spec.kind {
        MetricKind::Counter => recorder.describe_counter(name, Some(Unit::Count), question),
        MetricKind::Gauge => recorder.describe_gauge(name, Some(Unit::Count), question),
        MetricKind::Histogram => recorder.describe_histogram(name, Some(Unit::Seconds), question),
    }
}

fn key<const N: usize>(spec: &MetricSpec, values: [SharedString; N]) -> Key {
    debug_assert_eq!(spec.labels.len(), N, "{} has other labels", spec.name);
    let labels: Vec<Label> = spec
        .labels
        .iter()
        .zip(values)
        .map(|(name, value)| Label::new(*name, value))
        .collect();
    Key::from_parts(spec.name, labels)
}
