//! The recorder of a storm: it counts the attempts and the retries of clients, and nothing
//! else.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use client::telemetry::{ATTEMPTS, RETRIES, SharedRecorder};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};

/// The attempts and retries of clients. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientCounts {
    attempts: Arc<AtomicU64>,
    retries: Arc<AtomicU64>,
}

impl ClientCounts {
    /// A recorder that counts here.
    pub(crate) fn recorder(&self) -> SharedRecorder {
        Arc::new(self.clone())
    }

    pub(crate) fn attempts(&self) -> u64 {
        self.attempts.load(Ordering::Relaxed)
    }

    pub(crate) fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }
}

impl Recorder for ClientCounts {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        if key.name() == ATTEMPTS.name {
            Counter::from_arc(Arc::clone(&self.attempts))
        } else if key.name() == RETRIES.name {
            Counter::from_arc(Arc::clone(&self.retries))
        } else {
            Counter::noop()
        }
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}
