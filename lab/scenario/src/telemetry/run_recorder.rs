//! The recorder of one run: it counts the run on its own, and passes events on to the
//! process.
//!
//! The process [registers](crate::Exposition::register) what can happen, so a run adds a
//! series only with its first event: what its client and its service register beyond that
//! cannot happen in the lab.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use client::telemetry::SharedRecorder;
use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Level, Metadata, Recorder,
    SharedString, Unit,
};
use metrics_exporter_prometheus::PrometheusRecorder;

use crate::{Counter as Counted, Counters};

const METADATA: Metadata<'static> = Metadata::new("lab", Level::INFO, None);

/// The counters of one run, by name and labels. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunCounters(Arc<Mutex<Values>>);

type Values = BTreeMap<(String, BTreeMap<String, String>), Arc<AtomicU64>>;

impl RunCounters {
    /// A recorder that counts nowhere else.
    pub(crate) fn recorder(&self) -> SharedRecorder {
        Arc::new(RunRecorder {
            counters: self.clone(),
            process: None,
            observes_durations: false,
        })
    }

    /// The counters that moved, in their order.
    pub(crate) fn read(&self) -> Counters {
        let values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counters = values.iter().map(|((name, labels), value)| Counted {
            name: name.clone(),
            labels: labels.clone(),
            value: value.load(Ordering::Relaxed),
        });
        counters.filter(|counter| counter.value > 0).collect()
    }

    fn register(&self, key: &Key) -> Arc<AtomicU64> {
        let labels = key.labels();
        let labels = labels.map(|label| (label.key().to_owned(), label.value().to_owned()));
        let name = (key.name().to_owned(), labels.collect());
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(values.entry(name).or_default())
    }
}

/// Counts into `counters` and, if there is a process, towards that.
#[derive(Debug)]
pub(crate) struct RunRecorder {
    pub(crate) counters: RunCounters,
    pub(crate) process: Option<Arc<PrometheusRecorder>>,
    /// Whether durations are observed: nobody waits in virtual time.
    pub(crate) observes_durations: bool,
}

/// A counter of the run, and that of the process. A client registers hundreds of counters and
/// moves a dozen, so both are registered with the first event.
struct RunCounter {
    key: Key,
    counters: RunCounters,
    process: Option<Arc<PrometheusRecorder>>,
    handles: OnceLock<(Arc<AtomicU64>, Counter)>,
}

impl RunCounter {
    fn handles(&self) -> &(Arc<AtomicU64>, Counter) {
        self.handles.get_or_init(|| {
            let process = self.process.as_ref();
            let of_process = process.map_or_else(Counter::noop, |process| {
                process.register_counter(&self.key, &METADATA)
            });
            (self.counters.register(&self.key), of_process)
        })
    }
}

impl CounterFn for RunCounter {
    fn increment(&self, by: u64) {
        if by > 0 {
            let (of_run, of_process) = self.handles();
            of_run.increment(by);
            of_process.increment(by);
        }
    }

    fn absolute(&self, value: u64) {
        let (of_run, of_process) = self.handles();
        of_run.absolute(value);
        of_process.absolute(value);
    }
}

/// A histogram of the process, which is registered with the first value.
struct RunHistogram {
    key: Key,
    process: Arc<PrometheusRecorder>,
    handle: OnceLock<Histogram>,
}

impl HistogramFn for RunHistogram {
    fn record(&self, value: f64) {
        let register = || self.process.register_histogram(&self.key, &METADATA);
        self.handle.get_or_init(register).record(value);
    }
}

/// The process describes its metrics itself.
impl Recorder for RunRecorder {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(Arc::new(RunCounter {
            key: key.clone(),
            counters: self.counters.clone(),
            process: self.process.clone(),
            handles: OnceLock::new(),
        }))
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        let process = self.process.as_ref();
        process.map_or_else(Gauge::noop, |process| process.register_gauge(key, metadata))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        match &self.process {
            Some(process) if self.observes_durations || !key.name().ends_with("_seconds") => {
                Histogram::from_arc(Arc::new(RunHistogram {
                    key: key.clone(),
                    process: Arc::clone(process),
                    handle: OnceLock::new(),
                }))
            }
            _ => Histogram::noop(),
        }
    }
}
