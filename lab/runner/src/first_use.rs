//! A recorder for one run that adds a series only with its first event.
//!
//! The process [registers](crate::Exposition::register) what can happen, so a run has
//! nothing to add: what its client and its service register beyond that cannot happen in
//! the lab.

use std::sync::{Arc, OnceLock};

use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Level, Metadata, Recorder,
    SharedString, Unit,
};

const METADATA: Metadata<'static> = Metadata::new("lab", Level::INFO, None);

/// Passes events on, except the observations of durations in virtual time, in which nobody
/// waits.
#[derive(Debug)]
pub(crate) struct OnFirstUse<R> {
    pub(crate) recorder: Arc<R>,
    pub(crate) observes_durations: bool,
}

/// A handle that is registered when it is used.
struct Lazy<R, H> {
    recorder: Arc<R>,
    key: Key,
    handle: OnceLock<H>,
}

impl<R, H> Lazy<R, H> {
    fn new(recorder: &Arc<R>, key: &Key) -> Arc<Self> {
        Arc::new(Self {
            recorder: Arc::clone(recorder),
            key: key.clone(),
            handle: OnceLock::new(),
        })
    }
}

impl<R: Recorder> CounterFn for Lazy<R, Counter> {
    fn increment(&self, value: u64) {
        let register = || self.recorder.register_counter(&self.key, &METADATA);
        if value > 0 {
            self.handle.get_or_init(register).increment(value);
        }
    }

    fn absolute(&self, value: u64) {
        let register = || self.recorder.register_counter(&self.key, &METADATA);
        self.handle.get_or_init(register).absolute(value);
    }
}

impl<R: Recorder> HistogramFn for Lazy<R, Histogram> {
    fn record(&self, value: f64) {
        let register = || self.recorder.register_histogram(&self.key, &METADATA);
        self.handle.get_or_init(register).record(value);
    }
}

impl<R: Recorder + Send + Sync + 'static> Recorder for OnFirstUse<R> {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.recorder.describe_counter(name, unit, help);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.recorder.describe_gauge(name, unit, help);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.recorder.describe_histogram(name, unit, help);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(Lazy::new(&self.recorder, key))
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.recorder.register_gauge(key, metadata)
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        match self.observes_durations || !key.name().ends_with("_seconds") {
            true => Histogram::from_arc(Lazy::new(&self.recorder, key)),
            false => Histogram::noop(),
        }
    }
}
