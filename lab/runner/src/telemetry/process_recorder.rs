//! The recorder of a process: Prometheus's, which also sums each counter over its labels.
//!
//! Prometheus's text has the same numbers, but all its series would have to be rendered
//! and parsed.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use metrics::{
    Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use metrics_exporter_prometheus::PrometheusRecorder;

/// Where all runs of a process count together.
#[derive(Debug)]
pub(crate) struct ProcessRecorder {
    prometheus: PrometheusRecorder,
    /// The few numbers that show a process's activity at a glance.
    totals: Mutex<BTreeMap<String, Arc<AtomicU64>>>,
}

impl ProcessRecorder {
    pub(crate) fn new(prometheus: PrometheusRecorder) -> Self {
        Self {
            prometheus,
            totals: Mutex::default(),
        }
    }

    /// The value of each counter, summed over its labels.
    pub(crate) fn totals(&self) -> BTreeMap<String, u64> {
        let totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let totals = totals.iter();
        totals
            .map(|(name, total)| (name.clone(), total.load(Ordering::Relaxed)))
            .collect()
    }
}

/// A counter, and the sum over its labels.
struct Summed(Counter, Arc<AtomicU64>);

impl CounterFn for Summed {
    fn increment(&self, by: u64) {
        self.0.increment(by);
        self.1.increment(by);
    }

    fn absolute(&self, value: u64) {
        self.0.absolute(value);
        self.1.absolute(value);
    }
}

impl Recorder for ProcessRecorder {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.prometheus.describe_counter(name, unit, help);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.prometheus.describe_gauge(name, unit, help);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.prometheus.describe_histogram(name, unit, help);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        let counter = self.prometheus.register_counter(key, metadata);
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let total = totals.entry(key.name().to_owned()).or_default();
        Counter::from_arc(Arc::new(Summed(counter, Arc::clone(total))))
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.prometheus.register_gauge(key, metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        self.prometheus.register_histogram(key, metadata)
    }
}
