//! Gauges that show one value which several clients may share.

use std::sync::{Arc, Weak};

use metrics::Gauge;

/// The gauges of one shared value, one for each client that has it.
///
/// Each client owns its gauge, so one that is gone leaves nothing behind: a
/// program that builds clients without end over one budget does not grow.
#[derive(Default)]
pub(crate) struct Gauges(Vec<Weak<Gauge>>);

impl Gauges {
    /// Shows the value on one more gauge, for as long as its owner keeps it.
    pub(crate) fn attach(&mut self, gauge: &Arc<Gauge>, value: f64) {
        self.0.retain(|known| known.strong_count() > 0);
        self.0.push(Arc::downgrade(gauge));
        gauge.set(value);
    }

    /// Shows a new value on all of them.
    pub(crate) fn set(&self, value: f64) {
        for gauge in self.0.iter().filter_map(Weak::upgrade) {
            gauge.set(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_whose_client_is_gone_leaves_nothing_behind() {
        let mut gauges = Gauges::default();
        for _ in 0..1000 {
            gauges.attach(&Arc::new(Gauge::noop()), 1.0);
        }
        let kept = Arc::new(Gauge::noop());

        gauges.attach(&kept, 1.0);

        assert_eq!(gauges.0.len(), 1);
    }
}
