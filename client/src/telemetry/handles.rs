//! Handles to the metrics, looked up once and held.
//!
//! A held handle costs a tenth of a look-up by name, so each endpoint's handles
//! are registered when the client is built (or on its first use, for one that
//! was not announced) and kept.

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
    labels::{self, AttemptResult, GiveUp, REASONS, RESULTS},
    operation::{Operation, Rules},
    outcome::CallOutcome,
};
use crate::{
    endpoint::Endpoint,
    retry::{RetryReason, WaitSource, Watcher},
};

/// The metrics of one client, all clones together.
pub(crate) struct Metrics {
    source: Source,
    rules: Rules,
    operations: RwLock<HashMap<(Endpoint, Method), Arc<OperationMetrics>>>,
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
        let key = (endpoint, method.clone());
        let known = self.operations.read();
        if let Some(metrics) = known.unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(metrics);
        }
        let metrics = OperationMetrics::new(self.source.clone(), endpoint, method);
        metrics.register(&operation(), &self.rules);
        // A method outside the closed list is not kept: a caller that made up
        // new ones could grow the table without end.
        if labels::method(method) != method.as_str() {
            return Arc::new(metrics);
        }
        let known = self.operations.write();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert_with(|| Arc::new(metrics)))
    }

    /// Shows the retry budget of the client called `client` on its gauge.
    pub(crate) fn budget_tokens(&self, client: &'static str) -> Arc<Watcher> {
        let gauge = self.source.gauge(&catalogue::BUDGET_TOKENS, &[client]);
        Arc::new(move |tokens| gauge.set(tokens))
    }

    /// Shows the concurrency limit of the client called `client` on its gauge.
    pub(crate) fn concurrency_limit(&self, client: &'static str) -> Arc<Watcher> {
        let gauge = self.source.gauge(&catalogue::CONCURRENCY_LIMIT, &[client]);
        Arc::new(move |limit| gauge.set(limit))
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
    /// What OpenTelemetry calls the span of a request: its method and its template.
    pub(super) request_name: String,
    calls: Handles<Counter, { CallOutcome::ALL.len() * 2 }>,
    call_durations: Handles<Histogram, { CallOutcome::ALL.len() }>,
    call_attempts: Handles<Histogram, 1>,
    attempts: Handles<Counter, { RESULTS }>,
    durations: Handles<Histogram, { RESULTS }>,
    retries: Handles<Counter, { REASONS * 2 }>,
    waits: Handles<Histogram, 2>,
    give_ups: Handles<Counter, { GiveUp::ALL.len() }>,
    cursor_loops: Handles<Counter, 1>,
    concurrency_reductions: Handles<Counter, 1>,
}

/// The handles of one metric, one for each value of its labels.
struct Handles<H, const N: usize>([OnceLock<H>; N]);

impl<H, const N: usize> Handles<H, N> {
    const fn none() -> Self {
        Self([const { OnceLock::new() }; N])
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "an index is made of an enum's number, and a table is as long as its enum"
    )]
    fn get(&self, index: usize, register: impl FnOnce() -> H) -> &H {
        self.0[index].get_or_init(register)
    }
}

impl OperationMetrics {
    fn new(source: Source, endpoint: Endpoint, method: &Method) -> Self {
        let method = labels::method(method);
        Self {
            source,
            endpoint,
            method,
            request_name: format!("{method} {}", endpoint.template()),
            calls: Handles::none(),
            call_durations: Handles::none(),
            call_attempts: Handles::none(),
            attempts: Handles::none(),
            durations: Handles::none(),
            retries: Handles::none(),
            waits: Handles::none(),
            give_ups: Handles::none(),
            cursor_loops: Handles::none(),
            concurrency_reductions: Handles::none(),
        }
    }

    fn register(&self, operation: &Operation, rules: &Rules) {
        for (outcome, retried) in operation.call_endings() {
            self.calls(outcome, retried);
        }
        self.call_durations(CallOutcome::Ok);
        self.call_attempts();
        for result in operation.attempt_results(rules) {
            self.attempts(result, labels::result_index(result));
        }
        let success = Ok(operation.success);
        self.durations(success, labels::result_index(success));
        for (why, source) in operation.retries(rules) {
            self.retries(why, source);
            self.waits(source);
        }
        for why in operation.give_ups(rules) {
            self.give_ups(why);
        }
        if operation.listing {
            self.cursor_loops();
        }
        if rules.concurrency_limit {
            self.concurrency_reductions();
        }
    }

    /// Counts one call of a client method.
    pub(super) fn call(&self, outcome: CallOutcome, attempts: u32, duration: Duration) {
        self.calls(outcome, attempts > 1).increment(1);
        self.call_durations(outcome).record(duration);
        if outcome != CallOutcome::Cancelled {
            self.call_attempts().record(attempts);
        }
    }

    /// Counts one request on the wire.
    pub(super) fn attempt(&self, result: AttemptResult, duration: Duration) {
        let index = labels::result_index(result);
        self.attempts(result, index).increment(1);
        self.durations(result, index).record(duration);
    }

    /// Counts one wait for another attempt.
    pub(super) fn retry(&self, why: RetryReason, source: WaitSource, wait: Duration) {
        self.retries(why, source).increment(1);
        self.waits(source).record(wait);
    }

    /// Counts one call that a limit of the client ended.
    pub(crate) fn give_up(&self, why: GiveUp) {
        self.give_ups(why).increment(1);
    }

    /// Counts one listing that repeated a cursor.
    pub(crate) fn cursor_loop(&self) {
        self.cursor_loops().increment(1);
    }

    /// Counts one 429 that shrank the concurrency limit.
    pub(super) fn concurrency_reduction(&self) {
        self.concurrency_reductions().increment(1);
    }

    fn calls(&self, outcome: CallOutcome, retried: bool) -> &Counter {
        let index = outcome as usize * 2 + usize::from(retried);
        self.calls.get(index, || {
            let retried = if retried { "true" } else { "false" };
            let labels = [self.endpoint.name(), outcome.as_str(), retried];
            self.source.counter(&catalogue::CALLS, &labels)
        })
    }

    fn call_durations(&self, outcome: CallOutcome) -> &Histogram {
        self.call_durations.get(outcome as usize, || {
            let labels = [self.endpoint.name(), outcome.as_str()];
            self.source.histogram(&catalogue::CALL_DURATION, &labels)
        })
    }

    fn call_attempts(&self) -> &Histogram {
        self.call_attempts.get(0, || {
            let labels = [self.endpoint.name()];
            self.source.histogram(&catalogue::CALL_ATTEMPTS, &labels)
        })
    }

    fn attempts(&self, result: AttemptResult, index: usize) -> &Counter {
        self.attempts.get(index, || {
            let labels = [self.endpoint.name(), self.method, labels::result(result)];
            self.source.counter(&catalogue::ATTEMPTS, &labels)
        })
    }

    fn durations(&self, result: AttemptResult, index: usize) -> &Histogram {
        self.durations.get(index, || {
            let labels = [
                self.method,
                self.endpoint.template(),
                result.map_or("", labels::status_label),
                labels::error_type(result).unwrap_or_default(),
            ];
            self.source.histogram(&catalogue::REQUEST_DURATION, &labels)
        })
    }

    fn retries(&self, why: RetryReason, source: WaitSource) -> &Counter {
        let index = labels::reason_index(why) * 2 + source as usize;
        self.retries.get(index, || {
            let labels = [
                self.endpoint.name(),
                self.method,
                labels::reason(why),
                labels::wait_source(source),
            ];
            self.source.counter(&catalogue::RETRIES, &labels)
        })
    }

    fn waits(&self, source: WaitSource) -> &Histogram {
        self.waits.get(source as usize, || {
            let labels = [self.endpoint.name(), labels::wait_source(source)];
            self.source.histogram(&catalogue::RETRY_WAIT, &labels)
        })
    }

    fn give_ups(&self, why: GiveUp) -> &Counter {
        self.give_ups.get(why.index(), || {
            let labels = [self.endpoint.name(), self.method, why.as_str()];
            self.source.counter(&catalogue::GIVE_UPS, &labels)
        })
    }

    fn cursor_loops(&self) -> &Counter {
        self.cursor_loops.get(0, || {
            let labels = [self.endpoint.name()];
            self.source.counter(&catalogue::CURSOR_LOOPS, &labels)
        })
    }

    fn concurrency_reductions(&self) -> &Counter {
        self.concurrency_reductions.get(0, || {
            let labels = [self.endpoint.name()];
            self.source
                .counter(&catalogue::CONCURRENCY_REDUCTIONS, &labels)
        })
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
            MetricKind::Gauge => recorder.describe_gauge(name, unit, help),
            MetricKind::Histogram => recorder.describe_histogram(name, unit, help),
        });
    }

    fn counter(&self, metric: &Metric, values: &[&'static str]) -> Counter {
        self.with(|recorder| recorder.register_counter(&key(metric, values), &METADATA))
    }

    fn gauge(&self, metric: &Metric, values: &[&'static str]) -> Gauge {
        self.with(|recorder| recorder.register_gauge(&key(metric, values), &METADATA))
    }

    fn histogram(&self, metric: &Metric, values: &[&'static str]) -> Histogram {
        self.with(|recorder| recorder.register_histogram(&key(metric, values), &METADATA))
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
