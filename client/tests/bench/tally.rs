//! The counts of a test.

use std::{collections::BTreeMap, sync::Arc};

use client::telemetry::SharedRecorder;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

/// A recorder that belongs to one test.
#[derive(Debug, Default)]
pub struct Tally(Arc<DebuggingRecorder>);

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
pub fn sum(series: &[Series], name: &str, labels: &[(&str, &str)]) -> f64 {
    let has = |series: &Series, (name, value): &(&str, &str)| {
        series.labels.get(*name).is_some_and(|known| known == value)
    };
    series
        .iter()
        .filter(|series| series.name == name && labels.iter().all(|label| has(series, label)))
        .map(|series| series.value)
        .sum()
}

impl Tally {
    /// A recorder that has counted nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The recorder, to be given to a client or a service.
    pub fn recorder(&self) -> SharedRecorder {
        Arc::<DebuggingRecorder>::clone(&self.0)
    }

    /// Every series. Reading takes the values away.
    pub fn read(&self) -> Vec<Series> {
        let snapshot = self.0.snapshotter().snapshot().into_vec();
        let series = snapshot.into_iter().map(|(key, _, _, value)| {
            let labels = key.key().labels();
            let labels = labels.map(|label| (label.key().to_owned(), label.value().to_owned()));
            let (value, observations) = match value {
                DebugValue::Counter(count) => (count as f64, Vec::new()),
                DebugValue::Gauge(value) => (value.into_inner(), Vec::new()),
                DebugValue::Histogram(values) => {
                    let values: Vec<_> = values.iter().map(|value| value.0).collect();
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
