//! What a client counted, read once at the end of a test.

use metrics_util::debugging::{DebugValue, Snapshotter};

/// Every series: its name, its labels, its value.
pub(crate) struct Counted(Vec<Series>);

pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) value: f64,
}

impl Counted {
    /// Reading empties the recorder, so there is no second reading.
    pub(crate) fn read(snapshotter: &Snapshotter) -> Self {
        let series = snapshotter.snapshot().into_vec().into_iter();
        Self(
            series
                .map(|(key, _, _, value)| Series {
                    name: key.key().name().to_owned(),
                    labels: key
                        .key()
                        .labels()
                        .map(|label| (label.key().to_owned(), label.value().to_owned()))
                        .collect(),
                    value: match value {
                        DebugValue::Counter(count) => number(count),
                        DebugValue::Gauge(gauge) => gauge.into_inner(),
                        DebugValue::Histogram(values) => number(values.len() as u64),
                    },
                })
                .collect(),
        )
    }

    pub(crate) fn series(&self) -> &[Series] {
        &self.0
    }

    /// The sum over all series of one metric.
    pub(crate) fn sum(&self, name: &str) -> f64 {
        let of_name = self.0.iter().filter(|series| series.name == name);
        of_name.map(|series| series.value).sum()
    }
}

fn number(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
