//! Time and chance, as values that are handed in.
//!
//! The retry rules need a clock, a way to wait and a random source, and a test
//! needs all three to be its own. Nothing else in this crate reads a clock,
//! sleeps or draws a random number; the transport's own socket timeouts are the
//! one exception, since they belong to `reqwest`.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::{Duration, SystemTime},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};

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

/// A clock that moves only when somebody waits on it, and remembers the waits.
///
/// Clones share one time. A sleeper yields once to the executor and then moves
/// the time to its own end, so an hour passes in microseconds and two sleepers
/// that began together end together rather than one after the other.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    shared: Arc<Mutex<VirtualTime>>,
    epoch: SystemTime,
}

#[derive(Debug, Default)]
struct VirtualTime {
    now: Duration,
    sleeps: Vec<Duration>,
}

impl VirtualClock {
    /// A clock at zero whose calendar starts at `epoch`.
    #[must_use]
    pub fn starting_at(epoch: SystemTime) -> Self {
        Self {
            shared: Arc::default(),
            epoch,
        }
    }

    /// Moves the time forward without anybody waiting.
    pub fn advance(&self, duration: Duration) {
        self.with(|time| time.now = time.now.saturating_add(duration));
    }

    /// Every wait that was begun, in order, with its full length.
    #[must_use]
    pub fn sleeps(&self) -> Vec<Duration> {
        self.with(|time| time.sleeps.clone())
    }

    fn with<T>(&self, body: impl FnOnce(&mut VirtualTime) -> T) -> T {
        body(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clock for VirtualClock {
    fn monotonic(&self) -> Duration {
        self.with(|time| time.now)
    }

    fn wall(&self) -> SystemTime {
        // A calendar has an end; a virtual wait of `Duration::MAX` does not.
        self.epoch
            .checked_add(self.monotonic())
            .unwrap_or(self.epoch)
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        let mut end = None;
        Box::pin(poll_fn(move |context| match end {
            None => {
                end = Some(self.with(|time| {
                    time.sleeps.push(duration);
                    time.now.saturating_add(duration)
                }));
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Some(end) => {
                self.with(|time| time.now = time.now.max(end));
                Poll::Ready(())
            }
        }))
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

/// Randomness that repeats: the same seed draws the same numbers.
#[derive(Debug)]
pub struct SeededRandom(Mutex<StdRng>);

impl SeededRandom {
    /// A source that starts from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
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
    use futures_util::future::join;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_system_clock_waits_the_full_time() {
        let clock = SystemClock::new();

        clock.sleep(Duration::from_micros(1_500_300)).await;

        assert!(clock.monotonic() >= Duration::from_micros(1_500_300));
    }

    #[tokio::test]
    async fn virtual_sleepers_that_begin_together_overlap() {
        let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);

        join(
            clock.sleep(Duration::from_secs(3600)),
            clock.sleep(Duration::from_secs(60)),
        )
        .await;

        assert_eq!(clock.monotonic(), Duration::from_secs(3600));
        assert_eq!(
            clock.sleeps(),
            [Duration::from_secs(3600), Duration::from_secs(60)]
        );
    }

    #[tokio::test]
    async fn a_virtual_sleep_that_is_dropped_moves_nothing() {
        let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);

        drop(clock.sleep(Duration::from_secs(5)));

        assert_eq!(clock.monotonic(), Duration::ZERO);
        assert!(clock.sleeps().is_empty());
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
