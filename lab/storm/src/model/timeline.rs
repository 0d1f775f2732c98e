//! The time of a storm: it stands still while anything can go on, and then jumps to the
//! end of the next wait.
//!
//! Tokio's paused clock rounds to a millisecond, which is too coarse for a network of
//! ten. Here a wait ends at its own nanosecond, waits that end in the same one end in
//! the order in which they began, and each costs the logarithm of how many there are.
//! A storm has several waits for each request, so a wait is an entry of a table and no
//! allocation of its own.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime},
};

use client::{Clock, Sleep};
use futures_executor::{LocalPool, LocalSpawner};
use futures_util::{
    future::{Either, select},
    task::LocalSpawnExt,
};

/// A clock for many clients and one model, with its waits.
#[derive(Clone, Default)]
pub(crate) struct Timeline(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// The time in nanoseconds, which is read far more often than it moves.
    now: AtomicU64,
    waits: Mutex<Waits>,
}

#[derive(Default)]
struct Waits {
    /// The moments at which waits are over, in nanoseconds, the next one on top. The moment
    /// of a wait that ended early stays.
    moments: BinaryHeap<Reverse<(u64, WaitId)>>,
    /// The waits, each at its place.
    entries: Vec<Entry>,
    /// The places without a wait.
    free: Vec<usize>,
    /// How many waits there were.
    begun: u64,
}

/// The name of a wait. Those that are over at the same moment end in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitId {
    number: u64,
    /// Another wait has this place once the wait is dropped.
    place: usize,
}

/// A wait in the table.
struct Entry {
    number: u64,
    ended: Option<WaitEnd>,
    waker: Option<Waker>,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitEnd {
    /// Its time is over.
    Over,
    /// By [`Timeline::end_early`].
    Early,
}

/// A wait that has begun.
pub(crate) struct Wait<'a> {
    timeline: &'a Timeline,
    pub(crate) id: WaitId,
}

impl Timeline {
    /// Runs the spawned tasks until no wait is left, or until the end: whether a wait is left.
    pub(crate) fn run(&self, pool: &mut LocalPool, end: Duration) -> bool {
        pool.run_until_stalled();
        while let Some(waker) = self.next(nanoseconds(end)) {
            waker.wake();
            pool.run_until_stalled();
        }
        !self.lock().moments.is_empty()
    }

    /// Goes to the end of the next wait, unless it lies beyond the end of all: whom to wake.
    fn next(&self, end: u64) -> Option<Waker> {
        let mut waits = self.lock();
        loop {
            let Reverse((until, id)) = *waits.moments.peek()?;
            if until > end {
                return None;
            }
            waits.moments.pop();
            let Some(wait) = waits.ongoing(id) else {
                continue;
            };
            wait.ended = Some(WaitEnd::Over);
            let waker = wait.waker.take();
            self.0.now.store(until, Ordering::Relaxed);
            if waker.is_some() {
                return waker;
            }
        }
    }

    /// Begins a wait of this time.
    pub(crate) fn begin(&self, duration: Duration) -> Wait<'_> {
        let now = self.0.now.load(Ordering::Relaxed);
        let until = now.saturating_add(nanoseconds(duration));
        let id = self.lock().begin(until, until == now);
        Wait { timeline: self, id }
    }

    /// Ends a wait before its time: whether it still went on.
    pub(crate) fn end_early(&self, id: WaitId) -> bool {
        let mut waits = self.lock();
        let Some(wait) = waits.ongoing(id) else {
            return false;
        };
        wait.ended = Some(WaitEnd::Early);
        let waker = wait.waker.take();
        drop(waits);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    /// Waits for this time, which counts from the first poll.
    pub(crate) async fn wait(&self, duration: Duration) {
        self.begin(duration).await;
    }

    /// Waits until a moment, if it lies ahead.
    pub(crate) async fn reach(&self, moment: Duration) {
        let left = moment.saturating_sub(self.monotonic());
        self.wait(left).await;
    }

    /// The result of a future, if it is there within this time.
    pub(crate) async fn within<T>(
        &self,
        time: Duration,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        match select(pin!(future), pin!(self.wait(time))).await {
            Either::Left((result, _)) => Some(result),
            Either::Right(_) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waits> {
        let waits = self.0.waits.lock();
        waits.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Future for Wait<'_> {
    type Output = WaitEnd;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<WaitEnd> {
        let mut waits = self.timeline.lock();
        let wait = waits.entry(self.id);
        match wait.ended {
            Some(end) => Poll::Ready(end),
            None => {
                wait.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut waits = self.timeline.lock();
        let wait = waits.entry(self.id);
        wait.ended = Some(WaitEnd::Early);
        let waker = wait.waker.take();
        waits.free.push(self.id.place);
        drop(waits);
        drop(waker);
    }
}

impl Waits {
    /// Begins a wait until a moment. One without a length is over at once.
    fn begin(&mut self, until: u64, is_over: bool) -> WaitId {
        self.begun += 1;
        let number = self.begun;
        let entry = Entry {
            number,
            ended: is_over.then_some(WaitEnd::Over),
            waker: None,
        };
        let place = self.free.pop().unwrap_or(self.entries.len());
        match self.entries.get_mut(place) {
            Some(free) => *free = entry,
            None => self.entries.push(entry),
        }
        let id = WaitId { number, place };
        if !is_over {
            self.moments.push(Reverse((until, id)));
        }
        id
    }

    /// The entry of a wait that has not been dropped.
    #[expect(clippy::indexing_slicing, reason = "the table never gets shorter")]
    fn entry(&mut self, id: WaitId) -> &mut Entry {
        &mut self.entries[id.place]
    }

    /// The entry of a wait that goes on.
    fn ongoing(&mut self, id: WaitId) -> Option<&mut Entry> {
        let wait = self.entry(id);
        (wait.number == id.number && wait.ended.is_none()).then_some(wait)
    }
}

impl Clock for Timeline {
    fn monotonic(&self) -> Duration {
        Duration::from_nanos(self.0.now.load(Ordering::Relaxed))
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.monotonic()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        Box::pin(self.wait(duration))
    }
}

/// Begins a task on a pool that is still there.
#[expect(clippy::expect_used, reason = "the pool outlives its spawners")]
pub(crate) fn spawn(spawner: &LocalSpawner, task: impl Future<Output = ()> + 'static) {
    spawner.spawn_local(task).expect("the pool is there");
}

/// At most what fits, which is more than five hundred years.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use futures_util::FutureExt;

    use super::*;

    /// Runs tasks that wait so many nanoseconds each time: the number of the task of each
    /// wait that ended until a moment, and when it did.
    fn over(until: u64, tasks: &[&[u64]]) -> Vec<(usize, u64)> {
        let (timeline, mut pool) = (Timeline::default(), LocalPool::new());
        let over = Rc::new(RefCell::new(Vec::new()));
        for (task, waits) in tasks.iter().enumerate() {
            let (timeline, over) = (timeline.clone(), Rc::clone(&over));
            let waits = waits.to_vec();
            spawn(&pool.spawner(), async move {
                for nanos in waits {
                    timeline.sleep(Duration::from_nanos(nanos)).await;
                    let at = timeline.monotonic().as_nanos() as u64;
                    over.borrow_mut().push((task, at));
                }
            });
        }
        let is_left = timeline.run(&mut pool, Duration::from_nanos(until));
        assert_eq!(
            is_left,
            over.borrow().len() < tasks.iter().map(|waits| waits.len()).sum::<usize>()
        );
        over.take()
    }

    #[test]
    fn waits_end_at_their_moment_and_in_the_order_in_which_they_began() {
        let tasks: [&[u64]; 4] = [&[30], &[10], &[30], &[11]];

        assert_eq!(over(29, &tasks), [(1, 10), (3, 11)]);
        let all = [(1, 10), (3, 11), (0, 30), (2, 30)];
        assert_eq!(over(u64::MAX, &tasks), all);
    }

    #[test]
    fn a_wait_that_ends_at_the_very_end_is_over() {
        assert_eq!(over(30, &[&[10, 20, 1]]), [(0, 10), (0, 30)]);
        assert_eq!(over(29, &[&[10, 20, 1]]), [(0, 10)]);
        assert_eq!(over(30, &[&[10, 0, 0]]), [(0, 10); 3]);
    }

    #[test]
    fn a_wait_ends_early_only_while_it_goes_on() {
        let timeline = Timeline::default();
        let wait = timeline.begin(Duration::from_nanos(10));
        let of_no_length = timeline.begin(Duration::ZERO);
        let id = wait.id;

        assert!(timeline.end_early(id));
        assert!(!timeline.end_early(id));
        assert!(!timeline.end_early(of_no_length.id));
        assert_eq!(wait.now_or_never(), Some(WaitEnd::Early));
        assert_eq!(of_no_length.now_or_never(), Some(WaitEnd::Over));

        let others = [1, 2, 3].map(|nanos| timeline.begin(Duration::from_nanos(nanos)));
        assert!(others.iter().any(|other| other.id.place == id.place));
        assert!(!timeline.end_early(id));
        assert!(others.iter().all(|other| timeline.end_early(other.id)));
    }

    #[test]
    fn ten_thousand_sleepers_take_ten_thousand_steps() {
        let (timeline, mut pool) = (Timeline::default(), LocalPool::new());
        let polls = Rc::new(RefCell::new(0_u32));
        for millis in (0..10_000_u64).rev() {
            let (timeline, polls) = (timeline.clone(), Rc::clone(&polls));
            let wait = async move {
                timeline.sleep(Duration::from_millis(millis)).await;
                *polls.borrow_mut() += 1;
            };
            spawn(&pool.spawner(), wait);
        }

        timeline.run(&mut pool, Duration::MAX);

        assert_eq!(*polls.borrow(), 10_000);
        assert_eq!(timeline.monotonic(), Duration::from_millis(9_999));
        assert_eq!(timeline.lock().begun, 10_000, "each began once");
    }

    #[test]
    fn a_moment_that_has_passed_is_reached_at_once() {
        let (timeline, mut pool) = (Timeline::default(), LocalPool::new());
        let reached = Rc::new(RefCell::new(Vec::new()));
        let (now, moments) = (timeline.clone(), Rc::clone(&reached));
        let way = async move {
            for millis in [20, 10, 50] {
                now.reach(Duration::from_millis(millis)).await;
                let wall = now.wall().duration_since(SystemTime::UNIX_EPOCH);
                moments
                    .borrow_mut()
                    .push((now.monotonic(), wall.expect("after it")));
            }
        };
        spawn(&pool.spawner(), way);

        timeline.run(&mut pool, Duration::MAX);

        let moments = [20, 20, 50].map(Duration::from_millis);
        assert_eq!(*reached.borrow(), moments.map(|moment| (moment, moment)));
    }
}
