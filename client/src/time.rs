//! Clock, sleep and random source, as values that the caller can replace.
//!
//! The retry rules need a clock, a way to wait and a random source, and a test
//! needs all three to be its own. Nothing else in this crate reads a clock,
//! sleeps or draws a random number; the transport's own socket timeouts are the
//! one exception, since they belong to `reqwest`.

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
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};

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

    /// Says that something is under way which ends by itself, and which the
    /// clock knows nothing of: a request on the wire, above all.
    ///
    /// A clock that jumps to the end of the next wait must not jump while a
    /// response is on its way, or it reaches a deadline that had hours left. It
    /// stands still until the hold is dropped. The clock of the machine has no
    /// use for a hold, and holding nothing is the default. A clock that wraps
    /// another passes the call on.
    fn hold(&self) -> Hold {
        Hold::none()
    }
}

/// Holds a clock still until it is dropped: see [`Clock::hold`].
#[must_use = "a hold ends as soon as it is dropped"]
pub struct Hold(Option<Box<dyn Send + Sync>>);

impl Hold {
    /// Holds nothing.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Lasts as long as `guard`, which it drops at its end.
    pub fn with(guard: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(guard)))
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

/// A source of chance for the jitter of the backoff.
pub trait Random: Send + Sync + 'static {
    /// A number drawn evenly from `0.0` (included) to `1.0` (excluded).
    fn unit(&self) -> f64;
}

/// The machine's own randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn unit(&self) -> f64 {
        rand::random()
    }
}

/// Randomness that repeats: the same seed draws the same numbers, on every
/// machine and in every release. The generator is ChaCha with 12 rounds.
#[derive(Debug)]
pub struct SeededRandom(Mutex<ChaCha12Rng>);

impl SeededRandom {
    /// A source that starts from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(ChaCha12Rng::seed_from_u64(seed)))
    }
}

impl Random for SeededRandom {
    fn unit(&self) -> f64 {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .random()
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

    /// What was printed for a seed must come again.
    #[test]
    fn the_sequence_of_a_seed_is_the_same_in_every_release() {
        let random = SeededRandom::new(7);

        let draws = [(); 3].map(|()| format!("{:.6}", random.unit()));

        assert_eq!(draws, ["0.030317", "0.307086", "0.142642"]);
    }

    #[test]
    fn one_seed_draws_one_sequence() {
        let draw = |seed| {
            let random = SeededRandom::new(seed);
            [(); 4].map(|()| random.unit())
        };

        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert!(draw(7).iter().all(|unit| (0.0..1.0).contains(unit)));
    }
}
