//! Clock and sleep, as values that the caller can replace.
//!
//! The retry rules need a clock and a way to wait, and a test needs both to be its
//! own. Two things keep real time: the transport's socket timeouts, which belong to
//! `reqwest`, and the time that an error's body may take, in `retry/attempt.rs`.

#![expect(
    clippy::disallowed_methods,
    reason = "what is forbidden elsewhere is made here"
)]

mod virtual_clock;

pub use virtual_clock::VirtualClock;

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, SystemTime},
};

/// A pause in progress: resolves once the time asked for has passed.
pub type Sleep<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A source of time that can also wait.
///
/// Two readings, because one cannot serve for both: pauses and deadlines are
/// measured on a clock that never steps, and an HTTP date in a `Retry-After`
/// can only be compared with the calendar.
pub trait Clock: Send + Sync + 'static {
    /// Time since an origin of the clock's own choosing; never goes back.
    fn monotonic(&self) -> Duration;

    /// The time of day, as an HTTP date speaks of it. May step.
    fn wall(&self) -> SystemTime;

    /// Waits for `duration` and never less: measured by [`Clock::monotonic`],
    /// at least `duration` lies between the first poll and the completion.
    fn sleep(&self, duration: Duration) -> Sleep<'_>;

    /// Holds the clock for something that takes real time and ends by itself, such as a
    /// request on the wire.
    ///
    /// A clock that jumps to the end of the next wait must not jump while a
    /// response is on its way, or it reaches a deadline that had hours left. It
    /// stands still until the hold is dropped. The clock of the machine needs no hold, so the
    /// default holds nothing. A clock that wraps another passes the call on.
    fn hold(&self) -> Hold {
        Hold::none()
    }
}

/// Holds a clock still until it and all of its clones are dropped: see [`Clock::hold`].
#[derive(Clone)]
#[must_use = "a hold ends as soon as it is dropped"]
pub struct Hold(Option<Arc<dyn Send + Sync>>);

impl Hold {
    /// Holds nothing.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Lasts as long as `guard`, which it drops at its end.
    pub fn with(guard: impl Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(guard)))
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hold").field(&self.0.is_some()).finish()
    }
}

/// The clock of the machine, with Tokio's timer.
#[derive(Debug, Clone)]
pub struct SystemClock {
    origin: tokio::time::Instant,
}

impl SystemClock {
    /// A clock whose monotonic origin is now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            origin: tokio::time::Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        self.origin.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        Box::pin(async move {
            let until = self.monotonic().saturating_add(duration);
            // A timer that fires some milliseconds early would turn a
            // Retry-After into an early retry, so the clock has the last word.
            while let Some(left) = until.checked_sub(self.monotonic()).filter(|d| !d.is_zero()) {
                tokio::time::sleep(left).await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_system_clock_waits_the_full_time() {
        let clock = SystemClock::new();

        clock.sleep(Duration::from_micros(1_500_300)).await;

        assert!(clock.monotonic() >= Duration::from_micros(1_500_300));
    }
}
