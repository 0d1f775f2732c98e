//! The service's clock: where it takes the time from.
//!
//! The service measures durations on the monotonic reading and understands an
//! HTTP-date by the wall reading. It never waits on this clock, so a clock that
//! stands still is a legal one.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// A source of time.
///
/// Both readings must move together: a lab that replays a run in virtual time
/// advances them by the same amount.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The time since an arbitrary, fixed origin. It never goes back.
    fn monotonic(&self) -> Duration;

    /// The time of day, to which an HTTP-date refers.
    fn wall(&self) -> SystemTime;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn monotonic(&self) -> Duration {
        (**self).monotonic()
    }

    fn wall(&self) -> SystemTime {
        (**self).wall()
    }
}

/// The clock of the operating system.
#[derive(Debug, Clone)]
pub struct SystemClock {
    origin: Instant,
}

impl Default for SystemClock {
    /// A clock whose monotonic reading starts at zero now.
    fn default() -> Self {
        Self {
            origin: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        self.origin.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }
}
