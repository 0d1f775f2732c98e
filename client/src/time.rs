//! Time and chance, as values that are handed in.
//!
//! The retry rules need a clock, a way to wait and a random source, and a test
//! needs all three to be its own. Nothing else in this crate reads a clock,
//! sleeps or draws a random number; the transport's own socket timeouts are the
//! one exception, since they belong to `reqwest`.

use std::{
    collections::BTreeSet,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
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
/// Clones share one time, and an hour of it passes in microseconds. Of several
/// sleepers the one that ends first wakes first, and the time moves to its end:
/// what happens in between happens in the order in which it would have. A
/// sleeper ends once nothing about the others has changed from one of its polls
/// to the next, so a task that is about to sleep, too, comes in time.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    shared: Arc<Mutex<VirtualTime>>,
    epoch: SystemTime,
}

#[derive(Debug, Default)]
struct VirtualTime {
    now: Duration,
    sleeps: Vec<Duration>,
    /// Who sleeps, by the time of waking and then by the order of arrival.
    sleepers: BTreeSet<(Duration, u64)>,
    arrivals: u64,
    /// How often `sleepers` has changed.
    changes: u64,
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
        Box::pin(VirtualSleep {
            clock: self,
            duration,
            asleep: None,
        })
    }
}

/// One sleeper.
struct VirtualSleep<'a> {
    clock: &'a VirtualClock,
    duration: Duration,
    /// Its place among the sleepers, and the changes it has seen.
    asleep: Option<((Duration, u64), u64)>,
}

impl Future for VirtualSleep<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let (clock, duration) = (self.clock, self.duration);
        let asleep = &mut self.asleep;
        let woken = clock.with(|time| match asleep {
            None => {
                time.sleeps.push(duration);
                time.arrivals += 1;
                let place = (time.now.saturating_add(duration), time.arrivals);
                time.sleepers.insert(place);
                time.changes += 1;
                *asleep = Some((place, time.changes));
                false
            }
            Some((place, seen)) => {
                let settled = std::mem::replace(seen, time.changes) == time.changes;
                let next = time.sleepers.first() == Some(place);
                if settled && next {
                    time.now = time.now.max(place.0);
                }
                time.now >= place.0
            }
        });
        if woken {
            self.leave();
            Poll::Ready(())
        } else {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }
}

impl VirtualSleep<'_> {
    /// Gives up its place among the sleepers, if it has one.
    fn leave(&mut self) {
        if let Some((place, _)) = self.asleep.take() {
            self.clock.with(|time| {
                time.sleepers.remove(&place);
                time.changes += 1;
            });
        }
    }
}

/// A sleep that is dropped holds nobody else up.
impl Drop for VirtualSleep<'_> {
    fn drop(&mut self) {
        self.leave();
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
    use futures_util::{FutureExt, future::join};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_system_clock_waits_the_full_time() {
        let clock = SystemClock::new();

        clock.sleep(Duration::from_micros(1_500_300)).await;

        assert!(clock.monotonic() >= Duration::from_micros(1_500_300));
    }

    #[tokio::test]
    async fn virtual_sleepers_wake_in_the_order_of_their_ends() {
        let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
        let woken = Mutex::new(Vec::new());
        let sleeper = async |name: &'static str, lengths: &[u64]| {
            for length in lengths {
                clock.sleep(Duration::from_secs(*length)).await;
                let now = clock.monotonic().as_secs();
                woken.lock().expect("no panic").push((name, now));
            }
        };

        join(sleeper("long", &[3600]), sleeper("short", &[60, 40, 4000])).await;

        let woken = woken.into_inner().expect("no panic");
        let expected = [
            ("short", 60),
            ("short", 100),
            ("long", 3600),
            ("short", 4100),
        ];
        assert_eq!(woken, expected);
    }

    #[tokio::test]
    async fn a_virtual_sleeper_that_is_dropped_holds_nobody_up() {
        let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
        let mut short = clock.sleep(Duration::from_secs(1));
        assert!((&mut short).now_or_never().is_none());
        drop(short);

        clock.sleep(Duration::from_secs(9)).await;

        assert_eq!(clock.monotonic(), Duration::from_secs(9));
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
