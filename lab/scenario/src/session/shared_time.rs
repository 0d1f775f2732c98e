//! One time for the spans of a run and the ledger of its service.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use client::Clock;

/// A time that is zero until it begins. The recorder of spans and the ledger of a service
/// both read it, so that their rows share one axis. Clones share it.
#[derive(Clone)]
pub struct SharedTime {
    clock: Arc<dyn Clock>,
    begun: Arc<OnceLock<Duration>>,
}

impl SharedTime {
    /// A time on this clock that has not begun.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            begun: Arc::default(),
        }
    }

    /// Starts it. A service that reads it must have been started before: it counts
    /// from its own start, which is then at zero.
    pub fn begin(&self) {
        self.begun.get_or_init(|| self.clock.monotonic());
    }

    /// The time since it began.
    pub fn elapsed(&self) -> Duration {
        self.begun.get().map_or(Duration::ZERO, |begun| {
            self.clock.monotonic().saturating_sub(*begun)
        })
    }
}

impl fmt::Debug for SharedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedTime").field(&self.elapsed()).finish()
    }
}

impl wire::Clock for SharedTime {
    fn monotonic(&self) -> Duration {
        self.elapsed()
    }

    fn wall(&self) -> SystemTime {
        self.clock.wall()
    }
}

#[cfg(test)]
mod tests {
    use client::VirtualClock;

    use super::*;

    #[test]
    fn is_zero_until_it_begins_and_begins_once() {
        let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
        let time = SharedTime::new(Arc::new(clock.clone()));
        let other = time.clone();
        let mut read = Vec::new();

        for begins in [false, true, true, false] {
            if begins {
                time.begin();
            }
            clock.advance(Duration::from_secs(1));
            read.push(other.elapsed().as_secs());
        }

        assert_eq!(read, [0, 1, 2, 3]);
    }
}
