//! Handles to the metrics, looked up once and held.
//!
//! A held handle costs a tenth of a look-up by name. A call moves five series and a retry
//! three: with look-ups, the bounds of `lab/benches` on a call with a recorder and on a storm
//! would fall. So each endpoint's handles are registered when the client is built (or on its
//! first use, for one that was not announced) and kept.

use std::{
    sync::{Arc, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use http::{Method, StatusCode};
use metrics::{Counter, Histogram, Key, Label, Level, Metadata, Recorder, with_recorder};

use super::{
    SharedRecorder,
    catalogue::{self, METRICS, Metric, MetricKind},
    labels::{self, AttemptResult, GiveUp, RESULTS},
    operation::{Operation, Rules},
    outcome::CallOutcome,
};
use crate::{
    endpoint::Endpoint,
    retry::{RetryReason, WaitSource},
};

/// The metrics of one client, all clones together.
pub(crate) struct Metrics {
    source: Source,
    rules: Rules,
    /// One for each endpoint and method.
    operations: RwLock<Vec<Arc<OperationMetrics>>>,
}

/// Where handles are registered: with the recorder given, else with the one
/// that is global at that moment.
#[derive(Clone)]
struct Source(Option<SharedRecorder>);

impl Metrics {
    /// Describes every metric to `recorder`, or to the global one.
    pub(crate) fn new(recorder: Option<SharedRecorder>, rules: Rules) -> Self {
        let source = Source(recorder);
        for metric in METRICS {
            source.describe(&metric);
        }
        Self {
            source,
            rules,
            operations: RwLock::default(),
        }
    }

    /// Registers what can be counted of an operation, at zero.
    pub(crate) fn announce(&self, operation: &Operation) {
        self.operation_or(operation.endpoint, &operation.method, || operation.clone())
            .register(operation, &self.rules);
    }

    /// The handles of one endpoint and method.
    pub(crate) fn operation(&self, endpoint: Endpoint, method: &Method) -> Arc<OperationMetrics> {
        self.operation_or(endpoint, method, || {
            Operation::unannounced(endpoint, method)
        })
    }

    fn operation_or(
        &self,
        endpoint: Endpoint,
        method: &Method,
        operation: impl FnOnce() -> Operation,
    ) -> Arc<OperationMetrics> {
        // All methods outside the closed list are one, so a caller that made up new ones
        // could not grow the table without end.
        let label = labels::method(method);
        let find = |known: &[Arc<OperationMetrics>]| {
            let is_it = |operation: &&Arc<OperationMetrics>| {
                operation.endpoint == endpoint && operation.method == label
            };
            known.iter().find(is_it).map(Arc::clone)
        };
        let known = self.operations.read();
        if let Some(metrics) = find(&known.unwrap_or_else(PoisonError::into_inner)) {
            return metrics;
        }
        let known = self.operations.write();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        find(&known).unwrap_or_else(|| {
            let metrics = Arc::new(OperationMetrics::new(self.source.clone(), endpoint, label));
            metrics.register(&operation(), &self.rules);
            known.push(Arc::clone(&metrics));
            metrics
        })
    }
}

/// Those of a middleware on a stack of the caller's own, with the global recorder.
impl Default for Metrics {
    fn default() -> Self {
        Self::new(None, Rules::default())
    }
}

/// The handles of one endpoint and method.
///
/// The counters of all that [`Operation`] says can happen are there at zero from
/// the start. A histogram is a dozen series and more, so only those of a success
/// and of the waits are: the others come with their first observation, as does
/// the counter of an event that nobody announced.
pub(crate) struct OperationMetrics {
    source: Source,
    pub(super) endpoint: Endpoint,
    /// The label of the method.
    pub(super) method: &'static str,
    /// OpenTelemetry's name for the span of a request: its method and its template.
    pub(super) request_name: String,
    calls: Handles<Counter, { CallOutcome::ALL.len() * 2 }>,
    call_durations: Handles<Histogram, { CallOutcome::ALL.len() }>,
    call_attempts: Handles<Histogram, 1>,
    attempts: Handles<Counter, { RESULTS }>,
    durations: Handles<Histogram, { RESULTS }>,
    retries: Handles<Counter, { RESULTS * 2 }>,
    waits: Handles<Histogram, 2>,
    give_ups: Handles<Counter, { GiveUp::ALL.len() }>,
    cursor_loops: Handles<Counter, 1>,
    concurrency_reductions: Handles<Counter, 1>,
}

/// The handles of one metric, one for each value of its labels, registered at their first
/// use.
struct Handles<H, const N: usize> {
    metric: Metric,
    handles: [OnceLock<H>; N],
}

impl<H: Handle, const N: usize> Handles<H, N> {
    const fn of(metric: Metric) -> Self {
        Self {
            metric,
            handles: [const { OnceLock::new() }; N],
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "an index is made of an enum's number, and a table is as long as its enum"
    )]
    fn get<const L: usize>(
        &self,
        source: &Source,
        index: usize,
        values: impl FnOnce() -> [&'static str; L],
    ) -> &H {
        self.handles[index].get_or_init(|| source.handle(&self.metric, &values()))
    }
}

impl OperationMetrics {
    fn new(source: Source, endpoint: Endpoint, method: &'static str) -> Self {
        Self {
            source,
            endpoint,
            method,
            request_name: match method {
                labels::OTHER_METHOD => format!("HTTP {}", endpoint.template()),
                method => format!("{method} {}", endpoint.template()),
            },
            calls: Handles::of(catalogue::CALLS),
            call_durations: Handles::of(catalogue::CALL_DURATION),
            call_attempts: Handles::of(catalogue::CALL_ATTEMPTS),
            attempts: Handles::of(catalogue::ATTEMPTS),
            durations: Handles::of(catalogue::REQUEST_DURATION),
            retries: Handles::of(catalogue::RETRIES),
            waits: Handles::of(catalogue::RETRY_WAIT),
            give_ups: Handles::of(catalogue::GIVE_UPS),
            cursor_loops: Handles::of(catalogue::CURSOR_LOOPS),
            concurrency_reductions: Handles::of(catalogue::CONCURRENCY_REDUCTIONS),
        }
    }

    fn register(&self, operation: &Operation, rules: &Rules) {
        for (outcome, retried) in operation.call_endings() {
            self.calls(outcome, retried);
        }
        self.call_durations(CallOutcome::Ok);
        self.only(&self.call_attempts);
        for result in operation.attempt_results(rules) {
            self.attempts(result);
            if labels::error_type(result).is_none() {
                self.durations(result);
            }
        }
        for (why, source) in operation.retries(rules) {
            self.retries(why, source);
            self.waits(source);
        }
        for why in operation.give_ups(rules) {
            self.give_ups(why);
        }
        if operation.listing {
            self.only(&self.cursor_loops);
        }
        if rules.concurrency_limit {
            self.only(&self.concurrency_reductions);
        }
    }

    /// Counts one call of a client method.
    pub(super) fn call(&self, outcome: CallOutcome, attempts: u32, duration: Duration) {
        self.calls(outcome, attempts > 1).increment(1);
        self.call_durations(outcome).record(duration);
        // A limit that ends a listing, and a call that is refused, send no request of their own.
        if attempts > 0 && outcome != CallOutcome::Cancelled {
            self.only(&self.call_attempts).record(attempts);
        }
    }

    /// Counts one request on the wire. If its body broke off after the head, its duration
    /// has both the status and the failure.
    pub(super) fn attempt(
        &self,
        result: AttemptResult,
        head: Option<StatusCode>,
        duration: Duration,
    ) {
        self.attempts(result).increment(1);
        match (result, head) {
            // It is rare, so its handle is not kept.
            (Err(kind), Some(head)) => {
                let (template, status) = (self.endpoint.template(), labels::status_label(head));
                let values = [self.method, template, status, kind.as_str()];
                let histogram: Histogram =
                    self.source.handle(&catalogue::REQUEST_DURATION, &values);
                histogram.record(duration);
            }
            _ => self.durations(result).record(duration),
        }
    }

    /// Counts one wait for another attempt, which begins.
    pub(super) fn retry(&self, why: RetryReason, source: WaitSource) {
        self.retries(why, source).increment(1);
    }

    /// Records the length of a wait for another attempt, which has ended.
    pub(super) fn waited(&self, source: WaitSource, length: Duration) {
        self.waits(source).record(length);
    }

    /// Counts one call that a rule or a limit of the client ended.
    pub(super) fn give_up(&self, why: GiveUp) {
        self.give_ups(why).increment(1);
    }

    /// Counts one listing that repeated a cursor.
    pub(crate) fn cursor_loop(&self) {
        self.only(&self.cursor_loops).increment(1);
    }

    /// Counts one 429 that shrank the concurrency limit.
    pub(super) fn concurrency_reduction(&self) {
        self.only(&self.concurrency_reductions).increment(1);
    }

    /// The handle of a metric whose one label is the endpoint.
    fn only<'a, H: Handle>(&self, handles: &'a Handles<H, 1>) -> &'a H {
        handles.get(&self.source, 0, || [self.endpoint.name()])
    }

    fn calls(&self, outcome: CallOutcome, retried: bool) -> &Counter {
        let index = outcome as usize * 2 + usize::from(retried);
        let retried = if retried { "true" } else { "false" };
        let values = || [self.endpoint.name(), outcome.as_str(), retried];
        self.calls.get(&self.source, index, values)
    }

    fn call_durations(&self, outcome: CallOutcome) -> &Histogram {
        let values = || [self.endpoint.name(), outcome.as_str()];
        let index = outcome as usize;
        self.call_durations.get(&self.source, index, values)
    }

    fn attempts(&self, result: AttemptResult) -> &Counter {
        let values = || [self.endpoint.name(), self.method, labels::result(result)];
        let index = labels::result_index(result);
        self.attempts.get(&self.source, index, values)
    }

    fn durations(&self, result: AttemptResult) -> &Histogram {
        let values = || {
            let status = result.map_or("", labels::status_label);
            let error_type = labels::error_type(result).unwrap_or_default();
            [self.method, self.endpoint.template(), status, error_type]
        };
        let index = labels::result_index(result);
        self.durations.get(&self.source, index, values)
    }

    fn retries(&self, why: RetryReason, source: WaitSource) -> &Counter {
        let (reason, wait_source) = (labels::reason(why), labels::wait_source(source));
        let values = || [self.endpoint.name(), self.method, reason, wait_source];
        let index = labels::result_index(labels::result_of(why)) * 2 + source as usize;
        self.retries.get(&self.source, index, values)
    }

    fn waits(&self, source: WaitSource) -> &Histogram {
        let values = || [self.endpoint.name(), labels::wait_source(source)];
        self.waits.get(&self.source, source as usize, values)
    }

    fn give_ups(&self, why: GiveUp) -> &Counter {
        let values = || [self.endpoint.name(), self.method, why.as_str()];
        self.give_ups.get(&self.source, why.index(), values)
    }
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
            MetricKind::Histogram => recorder.describe_histogram(name, unit, help),
        });
    }

    fn handle<H: Handle>(&self, metric: &Metric, values: &[&'static str]) -> H {
        self.with(|recorder| H::register(recorder, &key(metric, values)))
    }
}

/// The handles of a recorder for metrics of one kind.
trait Handle {
    fn register(recorder: &dyn Recorder, key: &Key) -> Self;
}

impl Handle for Counter {
    fn register(recorder: &dyn Recorder, key: &Key) -> Self {
        recorder.register_counter(key, &METADATA)
    }
}

impl Handle for Histogram {
    fn register(recorder: &dyn Recorder, key: &Key) -> Self {
        recorder.register_histogram(key, &METADATA)
    }
}

const METADATA: Metadata<'static> = Metadata::new(super::TARGET, Level::INFO, Some(module_path!()));

/// A key with the labels that the catalogue lists, and these values in the same
/// order; an empty value is left out, as Prometheus would read it.
fn key(metric: &Metric, values: &[&'static str]) -> Key {
    debug_assert_eq!(values.len(), metric.labels.len(), "{}", metric.name);
    let labels = metric.labels.iter().zip(values);
    let labels = labels.filter(|(_, value)| !value.is_empty());
    let labels = labels.map(|(name, value)| Label::from_static_parts(name, value));
    Key::from_parts(metric.name, labels.collect::<Vec<_>>())
}
