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
    /// The value of a counter, or the number of a histogram's observations; 0
    /// for a gauge.
    pub count: u64,
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

    /// Every series there is. Reading takes the values away, and so it takes
    /// the tally as well.
    #[must_use]
    pub fn read(self) -> Vec<Series> {
        let snapshot = self.snapshotter.snapshot().into_vec();
        let series = snapshot.into_iter().map(|(key, _, _, value)| Series {
            name: key.key().name().to_owned(),
            labels: key
                .key()
                .labels()
                .map(|label| (label.key().to_owned(), label.value().to_owned()))
                .collect(),
            count: match value {
                DebugValue::Counter(count) => count,
                DebugValue::Gauge(_) => 0,
                DebugValue::Histogram(values) => values.len() as u64,
            },
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
