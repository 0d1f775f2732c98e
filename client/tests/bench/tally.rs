//! What was counted.

use std::{collections::BTreeMap, fmt, sync::Arc};

use client::telemetry::SharedRecorder;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

/// A recorder that belongs to one test.
pub struct Tally {
    recorder: Arc<DebuggingRecorder>,
    snapshotter: Snapshotter,
}

/// One time series.
#[derive(Debug)]
pub struct Series {
    /// The name of the metric.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The value of a counter or of a gauge, or the number of a histogram's
    /// observations.
    pub value: f64,
    /// The observations of a histogram.
    pub observations: Vec<f64>,
}

/// The sum over all series of one metric that have these labels.
#[must_use]
pub fn sum(series: &[Series], name: &str, labels: &[(&str, &str)]) -> f64 {
    let has = |series: &Series, (name, value): &(&str, &str)| {
        series.labels.get(*name).is_some_and(|it| it == value)
    };
    series
        .iter()
        .filter(|series| series.name == name && labels.iter().all(|label| has(series, label)))
        .map(|series| series.value)
        .sum()
}

impl Tally {
    /// A recorder that has counted nothing.
    #[must_use]
    pub fn new() -> Self {
        let recorder = DebuggingRecorder::new();
        Self {
            snapshotter: recorder.snapshotter(),
            recorder: Arc::new(recorder),
        }
    }

    /// The recorder, to be given to a client or a service.
    #[must_use]
    pub fn recorder(&self) -> SharedRecorder {
        Arc::clone(&self.recorder) as SharedRecorder
    }

    /// Every series. Reading takes the values away.
    #[must_use]
    pub fn read(&self) -> Vec<Series> {
        let snapshot = self.snapshotter.snapshot().into_vec();
        let series = snapshot.into_iter().map(|(key, _, _, value)| {
            let labels = key.key().labels();
            let labels = labels.map(|label| (label.key().to_owned(), label.value().to_owned()));
            let (value, observations) = match value {
                DebugValue::Counter(count) => (count as f64, Vec::new()),
                DebugValue::Gauge(value) => (value.into_inner(), Vec::new()),
                DebugValue::Histogram(values) => {
                    let values: Vec<_> = values.iter().map(|it| it.0).collect();
                    (values.len() as f64, values)
                }
            };
            Series {
                name: key.key().name().to_owned(),
                labels: labels.collect(),
                value,
                observations,
            }
        });
        series.collect()
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tally").finish_non_exhaustive()
    }
}
