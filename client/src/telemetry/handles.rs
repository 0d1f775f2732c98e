//! Handles to the metrics, looked up once and held.
//!
//! A held handle costs a tenth of a look-up by name, so each endpoint's handles
//! are registered on its first use (or when the client is built) and kept.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use http::Method;
use metrics::{Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, with_recorder};

use super::{
    SharedRecorder,
    catalogue::{self, METRICS, Metric, MetricKind},
    labels::{self, AttemptResult, GiveUp},
};
use crate::{
    endpoint::Endpoint,
    retry::{FailureKind, RETRY_STATUSES, RetryReason, WaitSource},
};

/// The metrics of one client, all clones together.
pub(crate) struct Metrics {
    source: Source,
    calls: RwLock<HashMap<(Endpoint, Method), Arc<CallMetrics>>>,
}

/// Where handles are registered: with the recorder given, else with the one
/// that is global at that moment.
#[derive(Clone)]
struct Source(Option<SharedRecorder>);

impl Metrics {
    /// Describes every metric to `recorder`, or to the global one.
    pub(crate) fn new(recorder: Option<SharedRecorder>) -> Self {
        let source = Source(recorder);
        for metric in METRICS {
            source.describe(&metric);
        }
        Self {
            source,
            calls: RwLock::default(),
        }
    }

    /// The handles of one endpoint and method.
    pub(crate) fn call(&self, endpoint: Endpoint, method: &Method) -> Arc<CallMetrics> {
        let key = (endpoint, method.clone());
        let known = self.calls.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = known.get(&key) {
            return Arc::clone(call);
        }
        drop(known);
        let call = Arc::new(CallMetrics::register(self.source.clone(), endpoint, method));
        // A method outside the closed list is not kept: a caller that made up
        // new ones could grow the table without end.
        if labels::method(method) != method.as_str() {
            return call;
        }
        let mut known = self.calls.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert(call))
    }

    /// The gauge of the retry budget of the client called `client`.
    pub(crate) fn budget_tokens(&self, client: &'static str) -> Gauge {
        self.source
            .gauge(&catalogue::BUDGET_TOKENS, &[("client", client)])
    }

    /// The gauge of the concurrency limit of the client called `client`.
    pub(crate) fn concurrency_limit(&self, client: &'static str) -> Gauge {
        self.source
            .gauge(&catalogue::CONCURRENCY_LIMIT, &[("client", client)])
    }
}

/// The handles of one endpoint and method.
///
/// What can be foreseen (the answer hoped for, a status to retry, a wait, a
/// give-up) is there at zero from the start, so that a dashboard can tell "never
/// happened" from "not scraped", and the first 503 is a rise. Other results are
/// registered when they first happen.
pub(crate) struct CallMetrics {
    source: Source,
    endpoint: Endpoint,
    method: &'static str,
    attempts: [OnceLock<Counter>; AttemptResult::COUNT],
    durations: [OnceLock<Histogram>; AttemptResult::COUNT],
    retries: Vec<((&'static str, WaitSource), Counter)>,
    waits: [Histogram; 2],
    give_ups: [(&'static str, Counter); GiveUp::ALL.len()],
    cursor_loops: Counter,
}

impl CallMetrics {
    fn register(source: Source, endpoint: Endpoint, method: &Method) -> Self {
        let name = endpoint.name();
        let method = labels::method(method);
        let retries = reasons()
            .flat_map(|reason| [WaitSource::RetryAfter, WaitSource::Backoff].map(|by| (reason, by)))
            .map(|(reason, by)| {
                let labels = [
                    ("endpoint", name),
                    ("method", method),
                    ("reason", reason),
                    ("wait_source", labels::wait_source(by)),
                ];
                ((reason, by), source.counter(&catalogue::RETRIES, &labels))
            })
            .collect();
        let waits = [WaitSource::RetryAfter, WaitSource::Backoff].map(|by| {
            let labels = [("endpoint", name), ("wait_source", labels::wait_source(by))];
            source.histogram(&catalogue::RETRY_WAIT, &labels)
        });
        let give_ups = GiveUp::ALL.map(|why| {
            let labels = [
                ("endpoint", name),
                ("method", method),
                ("reason", why.as_str()),
            ];
            (why.as_str(), source.counter(&catalogue::GIVE_UPS, &labels))
        });
        let cursor_loops = source.counter(&catalogue::CURSOR_LOOPS, &[("endpoint", name)]);
        let call = Self {
            source,
            endpoint,
            method,
            attempts: [const { OnceLock::new() }; AttemptResult::COUNT],
            durations: [const { OnceLock::new() }; AttemptResult::COUNT],
            retries,
            waits,
            give_ups,
            cursor_loops,
        };
        let hoped_for = AttemptResult::Status(endpoint.success());
        for result in RETRY_STATUSES.map(AttemptResult::Status) {
            call.attempts(result);
        }
        call.attempts(hoped_for);
        // A histogram is seventeen series, so that of the failures can wait.
        call.durations(hoped_for);
        call
    }

    /// Counts one request on the wire.
    pub(crate) fn attempt(&self, result: AttemptResult, duration: Duration) {
        self.attempts(result).increment(1);
        self.durations(result).record(duration);
    }

    fn attempts(&self, result: AttemptResult) -> &Counter {
        self.attempts[result.index()].get_or_init(|| {
            let labels = [
                ("endpoint", self.endpoint.name()),
                ("method", self.method),
                ("result", result.label()),
            ];
            self.source.counter(&catalogue::ATTEMPTS, &labels)
        })
    }

    fn durations(&self, result: AttemptResult) -> &Histogram {
        self.durations[result.index()].get_or_init(|| {
            let labels = [
                ("http_request_method", self.method),
                ("url_template", self.endpoint.template()),
                ("http_response_status_code", result.status_label()),
                ("error_type", result.error_type().unwrap_or_default()),
            ];
            self.source.histogram(&catalogue::REQUEST_DURATION, &labels)
        })
    }

    /// Counts one wait for another attempt.
    pub(crate) fn retry(&self, why: RetryReason, by: WaitSource, wait: Duration) {
        let key = (labels::reason(why), by);
        if let Some((_, counter)) = self.retries.iter().find(|(known, _)| *known == key) {
            counter.increment(1);
        }
        let [retry_after, backoff] = &self.waits;
        match by {
            WaitSource::RetryAfter => retry_after.record(wait),
            WaitSource::Backoff => backoff.record(wait),
        }
    }

    /// Counts one call that a limit of the client ended.
    pub(crate) fn give_up(&self, why: GiveUp) {
        let label = why.as_str();
        if let Some((_, counter)) = self.give_ups.iter().find(|(known, _)| *known == label) {
            counter.increment(1);
        }
    }

    /// Counts one listing that repeated a cursor.
    pub(crate) fn cursor_loop(&self) {
        self.cursor_loops.increment(1);
    }
}

/// Every label that [`labels::reason`] can give.
fn reasons() -> impl Iterator<Item = &'static str> {
    let statuses = RETRY_STATUSES.map(|status| labels::reason(RetryReason::Status(status)));
    let failures = FailureKind::ALL.map(|kind| labels::reason(RetryReason::Failure(kind)));
    statuses.into_iter().chain([labels::OTHER]).chain(failures)
}

impl Source {
    fn with<T>(&self, body: impl FnOnce(&dyn Recorder) -> T) -> T {
        match &self.0 {
            Some(recorder) => body(recorder),
            None => with_recorder(body),
        }
    }

    fn describe(&self, metric: &Metric) {
        let (name, unit, help) = (
            metric.name.into(),
            Some(metric.unit),
            metric.question.into(),
        );
        self.with(|recorder| match metric.kind {
            MetricKind::Counter => recorder.describe_counter(name, unit, help),
            MetricKind::Gauge => recorder.describe_gauge(name, unit, help),
            MetricKind::Histogram => recorder.describe_histogram(name, unit, help),
        });
    }

    fn counter(&self, metric: &Metric, labels: &[(&'static str, &'static str)]) -> Counter {
        self.with(|recorder| recorder.register_counter(&key(metric, labels), &METADATA))
    }

    fn gauge(&self, metric: &Metric, labels: &[(&'static str, &'static str)]) -> Gauge {
        self.with(|recorder| recorder.register_gauge(&key(metric, labels), &METADATA))
    }

    fn histogram(&self, metric: &Metric, labels: &[(&'static str, &'static str)]) -> Histogram {
        self.with(|recorder| recorder.register_histogram(&key(metric, labels), &METADATA))
    }
}

const METADATA: Metadata<'static> = Metadata::new(super::TARGET, Level::INFO, Some(module_path!()));

/// A key whose labels are those the catalogue lists, in its order; an empty
/// value is left out, as Prometheus would read it.
fn key(metric: &Metric, labels: &[(&'static str, &'static str)]) -> Key {
    debug_assert!(
        labels.iter().map(|(name, _)| name).eq(metric.labels),
        "{} is registered with the labels of the catalogue",
        metric.name
    );
    let labels = labels
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| Label::from_static_parts(name, value))
        .collect::<Vec<_>>();
    Key::from_parts(metric.name, labels)
}
