//! Watchers of one value which several clients may share.

use std::sync::{Arc, Weak};

/// Is told each new value.
pub(crate) type Watcher = dyn Fn(f64) + Send + Sync;

/// The watchers of one shared value, one for each client that has it.
///
/// Each client owns its watcher, so a client that is gone leaves nothing behind: a
/// program that builds clients without end over one budget does not grow.
#[derive(Default)]
pub(super) struct Watchers(Vec<Weak<Watcher>>);

impl Watchers {
    /// Tells one more watcher the value, for as long as its owner keeps it.
    pub(super) fn attach(&mut self, watcher: &Arc<Watcher>, value: f64) {
        self.0.retain(|known| known.strong_count() > 0);
        self.0.push(Arc::downgrade(watcher));
        watcher(value);
    }

    /// Tells all of them a new value.
    pub(super) fn tell(&self, value: f64) {
        for watcher in self.0.iter().filter_map(Weak::upgrade) {
            watcher(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_whose_client_is_gone_leaves_nothing_behind() {
        let watcher = || -> Arc<Watcher> { Arc::new(|_| {}) };
        let mut watchers = Watchers::default();
        for _ in 0..1000 {
            watchers.attach(&watcher(), 1.0);
        }
        let kept = watcher();

        watchers.attach(&kept, 1.0);

        assert_eq!(watchers.0.len(), 1);
    }
}
