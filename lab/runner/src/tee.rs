//! A recorder that passes everything to two others.
//!
//! `metrics_util`'s own fan-out is not `Send`, and a recorder that a client or a service
//! keeps must be.

use std::sync::Arc;

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};

/// Two recorders as one.
#[derive(Debug)]
pub(crate) struct Tee<A, B>(pub(crate) A, pub(crate) B);

impl<A: Recorder, B: Recorder> Recorder for Tee<A, B> {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.0.describe_counter(name.clone(), unit, help.clone());
        self.1.describe_counter(name, unit, help);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.0.describe_gauge(name.clone(), unit, help.clone());
        self.1.describe_gauge(name, unit, help);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.0.describe_histogram(name.clone(), unit, help.clone());
        self.1.describe_histogram(name, unit, help);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        Counter::from_arc(Arc::new(Both(
            self.0.register_counter(key, metadata),
            self.1.register_counter(key, metadata),
        )))
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(Arc::new(Both(
            self.0.register_gauge(key, metadata),
            self.1.register_gauge(key, metadata),
        )))
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Arc::new(Both(
            self.0.register_histogram(key, metadata),
            self.1.register_histogram(key, metadata),
        )))
    }
}

/// Two handles as one.
struct Both<T>(T, T);

impl CounterFn for Both<Counter> {
    fn increment(&self, by: u64) {
        self.0.increment(by);
        self.1.increment(by);
    }

    fn absolute(&self, value: u64) {
        self.0.absolute(value);
        self.1.absolute(value);
    }
}

impl GaugeFn for Both<Gauge> {
    fn increment(&self, by: f64) {
        self.0.increment(by);
        self.1.increment(by);
    }

    fn decrement(&self, by: f64) {
        self.0.decrement(by);
        self.1.decrement(by);
    }

    fn set(&self, value: f64) {
        self.0.set(value);
        self.1.set(value);
    }
}

impl HistogramFn for Both<Histogram> {
    fn record(&self, value: f64) {
        self.0.record(value);
        self.1.record(value);
    }
}
