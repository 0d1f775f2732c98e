//! Watchers of a value that several clients may share.

use std::sync::{Arc, Weak};

/// Receives each new value.
pub(crate) type Watcher = dyn Fn(f64) + Send + Sync;

/// The watchers of one shared value, one for each client that uses it.
///
/// Each client owns its watcher, so a dropped client leaves no watcher behind, and a
/// program that keeps building clients with one budget does not leak memory.
#[derive(Default)]
pub(super) struct Watchers(Vec<Weak<Watcher>>);

impl Watchers {
    /// Reports the value to one more watcher, until the watcher is dropped.
    pub(super) fn attach(&mut self, watcher: &Arc<Watcher>, value: f64) {
        self.0.retain(|known| known.strong_count() > 0);
        self.0.push(Arc::downgrade(watcher));
        watcher(value);
    }

    /// Reports a new value to all watchers.
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
    fn a_dropped_watcher_is_removed() {
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
