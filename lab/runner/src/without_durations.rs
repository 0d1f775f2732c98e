//! A recorder that observes no durations, for runs in virtual time.

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};

/// Passes everything on except the histograms in seconds. Their series
/// stand at zero if the process [registers](crate::Exposition::register) them.
#[derive(Debug)]
pub(crate) struct WithoutDurations<R>(pub(crate) R);

impl<R: Recorder> Recorder for WithoutDurations<R> {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.0.describe_counter(name, unit, help);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.0.describe_gauge(name, unit, help);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, help: SharedString) {
        self.0.describe_histogram(name, unit, help);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        self.0.register_counter(key, metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.0.register_gauge(key, metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        match key.name().ends_with("_seconds") {
            true => Histogram::noop(),
            false => self.0.register_histogram(key, metadata),
        }
    }
}
