//! A clock for tests: it moves only when somebody waits on it.

use std::{
    collections::{BTreeMap, VecDeque},
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime},
};

use super::{Clock, Hold, Sleep};

/// A clock that moves only when somebody waits on it, and remembers the waits.
///
/// Clones share one time, and an hour of it passes in microseconds. Of several
/// sleepers, the one that ends first wakes first, and the time moves to its end, so events
/// keep the order that they would have in real time.
///
/// The time moves only when nothing else can happen:
///
/// - nothing is held. A client [holds](Clock::hold) its clock while a request is
///   on the wire, so a response that takes a real millisecond comes before a
///   virtual deadline in ten seconds. A transport of a test is not the wire, and may wait on
///   this clock itself. Anything else that takes real time and should come first takes a
///   hold, too;
/// - and nobody else is about to do something: the first sleeper gives way to
///   all tasks that can run, and moves the time only when none of them has
///   begun a wait, ended one or taken a hold.
///
/// So the time stands still for as long as a real server says nothing: the real
/// timeouts of the transport decide there. The order is kept on a runtime of one
/// thread; on several, the first sleeper cannot tell what runs beside it.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    shared: Arc<Mutex<VirtualTime>>,
    epoch: SystemTime,
}

#[derive(Debug, Default)]
struct VirtualTime {
    now: Duration,
    recent: VecDeque<Duration>,
    /// Who sleeps, and how to wake them.
    sleepers: BTreeMap<Place, Option<Waker>>,
    arrivals: u64,
    holds: usize,
    /// How often a sleeper or a hold has come or gone.
    changes: u64,
}

/// The time of waking, and then the order of arrival.
type Place = (Duration, u64);

impl VirtualClock {
    /// How many waits are remembered: the last so many.
    pub const REMEMBERED: usize = 4096;

    /// A clock at zero whose calendar starts at `epoch`.
    #[must_use]
    pub fn starting_at(epoch: SystemTime) -> Self {
        Self {
            shared: Arc::default(),
            epoch,
        }
    }

    /// Moves the time forward without anybody waiting, held or not.
    pub fn advance(&self, duration: Duration) {
        self.change(|time| {
            time.now = time.now.saturating_add(duration);
            true
        });
    }

    /// The waits that were begun, in order, each with its full length: the last
    /// [`REMEMBERED`](Self::REMEMBERED) of them.
    #[must_use]
    pub fn sleeps(&self) -> Vec<Duration> {
        self.with(|time| time.recent.iter().copied().collect())
    }

    fn with<T>(&self, body: impl FnOnce(&mut VirtualTime) -> T) -> T {
        body(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets `body` change something, and wakes who is first to end if it says
    /// so. The others wait for the first, so that many sleepers cost no more
    /// than their places in the order.
    fn change(&self, body: impl FnOnce(&mut VirtualTime) -> bool) {
        let first = self.with(|time| {
            time.changes += 1;
            let wakes = body(time);
            let (_, waker) = time.sleepers.first_key_value()?;
            waker.clone().filter(|_| wakes)
        });
        // Not within the lock: whoever is woken may want it.
        if let Some(waker) = first {
            waker.wake();
        }
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
        Box::pin(async move {
            let mut sleeper = Sleeper::new(self, duration);
            while poll_fn(|context| sleeper.poll_turn(context)).await == Turn::First {
                // On a Tokio runtime this lasts until all tasks that can run
                // have run, and until the sockets have been looked at.
                tokio::task::yield_now().await;
            }
        })
    }

    fn hold(&self) -> Hold {
        self.change(|time| {
            time.holds += 1;
            false
        });
        Hold::with(Held(self.clone()))
    }
}

impl VirtualTime {
    fn begin(&mut self, duration: Duration) -> Place {
        if self.recent.len() == VirtualClock::REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(duration);
        self.arrivals += 1;
        self.changes += 1;
        let place = (self.now.saturating_add(duration), self.arrivals);
        self.sleepers.insert(place, None);
        place
    }

    fn is_first(&self, place: Place) -> bool {
        let first = self.sleepers.first_key_value();
        first.is_some_and(|(first, _)| *first == place)
    }
}

/// Ends a hold when it is dropped.
struct Held(VirtualClock);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.change(|time| {
            time.holds -= 1;
            time.holds == 0
        });
    }
}

/// One sleeper, from its first poll until it is dropped.
struct Sleeper<'a> {
    clock: &'a VirtualClock,
    place: Place,
    /// The changes that it had seen when it last gave way.
    seen: Option<u64>,
}

/// The news for a sleeper once it may move at all.
#[derive(PartialEq)]
enum Turn {
    /// Its time has come.
    Over,
    /// It is the first to end, and gives way to whatever may still happen before.
    First,
}

impl<'a> Sleeper<'a> {
    fn new(clock: &'a VirtualClock, duration: Duration) -> Self {
        Self {
            clock,
            place: clock.with(|time| time.begin(duration)),
            seen: None,
        }
    }

    /// Waits to be the first while nothing is held, and moves the time when
    /// nothing has changed since it last gave way.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<Turn> {
        let (place, seen) = (self.place, &mut self.seen);
        let waker = context.waker().clone();
        let (turn, _former_waker) = self.clock.with(|time| {
            if time.now >= place.0 {
                return (Poll::Ready(Turn::Over), None);
            }
            if time.holds > 0 || !time.is_first(place) {
                *seen = None;
                let former = time.sleepers.insert(place, Some(waker));
                return (Poll::Pending, former.flatten());
            }
            if seen.replace(time.changes) != Some(time.changes) {
                return (Poll::Ready(Turn::First), None);
            }
            time.now = place.0;
            (Poll::Ready(Turn::Over), None)
        });
        turn
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        let mut waker = None;
        self.clock.change(|time| {
            let first = time.is_first(self.place);
            waker = time.sleepers.remove(&self.place);
            first
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::{FutureExt, future::join};
    use tokio::sync::oneshot;

    use super::*;

    fn clock() -> VirtualClock {
        VirtualClock::starting_at(SystemTime::UNIX_EPOCH)
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[tokio::test]
    async fn sleepers_wake_in_the_order_of_their_ends() {
        let clock = clock();
        let woken = Mutex::new(Vec::new());
        let sleeper = async |name: &'static str, lengths: &[u64]| {
            for length in lengths {
                clock.sleep(seconds(*length)).await;
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
    async fn the_first_sleeper_wakes_the_next_when_it_is_dropped() {
        let clock = clock();
        let mut first = clock.sleep(seconds(1));
        assert!((&mut first).now_or_never().is_none());
        let sleeping = clock.clone();
        let second = tokio::spawn(async move { sleeping.sleep(seconds(9)).await });
        tokio::task::yield_now().await;

        drop(first);

        second.await.expect("it wakes");
        assert_eq!(clock.monotonic(), seconds(9));
    }

    #[tokio::test]
    async fn a_sleep_that_is_never_polled_moves_nothing() {
        let clock = clock();

        drop(clock.sleep(seconds(5)));

        assert_eq!(clock.monotonic(), Duration::ZERO);
        assert!(clock.sleeps().is_empty());
    }

    #[tokio::test]
    async fn what_ends_a_hold_comes_before_any_sleeper() {
        let clock = clock();
        let (sender, receiver) = oneshot::channel();
        let hold = clock.hold();
        let in_flight = tokio::spawn(async move {
            // Longer than any sleeper gives way.
            for _ in 0..1000 {
                tokio::task::yield_now().await;
            }
            let _ = sender.send(());
            drop(hold);
        });

        let sleeping = clock.clone();
        let sleeper = tokio::spawn(async move { sleeping.sleep(seconds(10)).await });
        receiver.await.expect("it is sent");

        assert_eq!(clock.monotonic(), Duration::ZERO);
        in_flight.await.expect("no panic");
        sleeper.await.expect("the end of the hold wakes it");
        assert_eq!(clock.monotonic(), seconds(10));
    }

    #[tokio::test]
    async fn a_time_that_is_held_can_be_moved_by_hand() {
        let clock = clock();
        let _hold = clock.hold();
        let sleeping = clock.clone();
        let sleeper = tokio::spawn(async move { sleeping.sleep(seconds(5)).await });
        tokio::task::yield_now().await;

        clock.advance(seconds(6));

        sleeper.await.expect("it wakes");
        assert_eq!(clock.monotonic(), seconds(6));
    }

    #[tokio::test]
    async fn ten_thousand_sleepers_are_polled_a_few_times_each() {
        const SLEEPERS: usize = 10_000;
        let clock = clock();
        let polls = Arc::new(AtomicUsize::new(0));
        let mut sleepers = tokio::task::JoinSet::new();
        for number in 0..SLEEPERS {
            let (clock, polls) = (clock.clone(), Arc::clone(&polls));
            sleepers.spawn(async move {
                // Every order of arrival and end there is, ties included.
                let length = Duration::from_millis((number * 7919 % SLEEPERS / 3) as u64);
                let mut sleep = clock.sleep(length);
                poll_fn(|context| {
                    polls.fetch_add(1, Ordering::Relaxed);
                    sleep.poll_unpin(context)
                })
                .await;
            });
        }

        sleepers.join_all().await;

        let polls = polls.load(Ordering::Relaxed);
        assert!(polls < 5 * SLEEPERS, "{polls} polls");
        let longest = (SLEEPERS as u64 - 1) / 3;
        assert_eq!(clock.monotonic(), Duration::from_millis(longest));
    }

    #[tokio::test]
    async fn only_the_last_sleeps_are_remembered() {
        let clock = clock();

        for _ in 0..VirtualClock::REMEMBERED {
            clock.sleep(seconds(1)).await;
        }
        clock.sleep(seconds(2)).await;

        let sleeps = clock.sleeps();
        assert_eq!(sleeps.len(), VirtualClock::REMEMBERED);
        assert_eq!(sleeps.last(), Some(&seconds(2)));
    }
}
