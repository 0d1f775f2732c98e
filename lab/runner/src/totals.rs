//! Counters summed over their labels: the few numbers that show a process's activity at a
//! glance.
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

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};

/// A recorder that keeps one number for each counter's name, and nothing of
/// gauges and histograms.
#[derive(Debug, Default)]
pub(crate) struct Totals(Mutex<BTreeMap<String, Arc<AtomicU64>>>);

impl Totals {
    /// The value of each counter.
    pub(crate) fn read(&self) -> BTreeMap<String, u64> {
        let counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counters
            .iter()
            .map(|(name, total)| (name.clone(), total.load(Ordering::Relaxed)))
            .collect()
    }
}

impl Recorder for Totals {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let total = counters.entry(key.name().to_owned()).or_default();
        Counter::from_arc(Arc::clone(total))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[cfg(test)]
mod tests {
    use metrics::{Label, Level};

    use super::*;

    #[test]
    fn a_total_sums_all_labels_of_a_counter() {
        let totals = Totals::default();
        let metadata = Metadata::new("test", Level::INFO, None);
        let jobs = |result| {
            let key = Key::from_parts("jobs_total", vec![Label::new("result", result)]);
            totals.register_counter(&key, &metadata)
        };

        jobs("created").increment(2);
        jobs("replayed").increment(1);
        totals
            .register_gauge(&Key::from_name("gauge"), &metadata)
            .set(7.0);

        assert_eq!(
            totals.read(),
            BTreeMap::from([("jobs_total".to_owned(), 3)])
        );
    }
}
