//! The time of a storm: it stands still while anything can go on, and then jumps to the
//! end of the next wait.
//!
//! Tokio's paused clock rounds to a millisecond, which is too coarse for a network of
//! ten. Here a wait ends at its own nanosecond, waits that end in the same one end in
//! the order in which they began, and each costs the logarithm of how many there are.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use client::{Clock, Sleep};
use futures_executor::{LocalPool, LocalSpawner};
use futures_util::{
    future::{Either, select},
    task::LocalSpawnExt,
};
use tokio::sync::oneshot;

/// A clock for many clients and one model, with its waits.
#[derive(Clone, Default)]
pub(super) struct Timeline(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    now: Duration,
    /// By the end of each wait, and among those of a moment by its number.
    sleepers: BTreeMap<(Duration, u64), oneshot::Sender<()>>,
    /// How many waits there were.
    begun: u64,
}

impl Timeline {
    /// Runs the spawned tasks until no wait is left, or until the end.
    pub(super) fn run(&self, pool: &mut LocalPool, end: Duration) {
        pool.run_until_stalled();
        loop {
            let Some(next) = self.lock().next(end) else {
                return;
            };
            // The waiter may have left, and then no task can go on.
            if next.send(()).is_ok() {
                pool.run_until_stalled();
            }
        }
    }

    /// Waits for this time, which counts from the first poll.
    pub(super) async fn wait(&self, duration: Duration) {
        let wait = self.lock().begin(duration);
        if let Some(over) = wait {
            // A wait that lies beyond the end of the storm is dropped with it.
            let _ = over.await;
        }
    }

    /// Waits until a moment, if it lies ahead.
    pub(super) async fn reach(&self, moment: Duration) {
        let left = moment.saturating_sub(self.monotonic());
        self.wait(left).await;
    }

    /// The result of a future, if it is there within this time.
    pub(super) async fn within<T>(
        &self,
        time: Duration,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        match select(pin!(future), pin!(self.wait(time))).await {
            Either::Left((result, _)) => Some(result),
            Either::Right(_) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Goes to the end of the next wait, unless it lies beyond the end of all.
    fn next(&mut self, end: Duration) -> Option<oneshot::Sender<()>> {
        let first = self.sleepers.first_entry()?;
        let (until, _) = *first.key();
        if until > end {
            return None;
        }
        self.now = self.now.max(until);
        Some(first.remove())
    }

    /// Begins a wait, unless it is over at once.
    fn begin(&mut self, duration: Duration) -> Option<oneshot::Receiver<()>> {
        let until = self.now.saturating_add(duration);
        if until <= self.now {
            return None;
        }
        self.begun += 1;
        let (sender, over) = oneshot::channel();
        self.sleepers.insert((until, self.begun), sender);
        Some(over)
    }
}

impl Clock for Timeline {
    fn monotonic(&self) -> Duration {
        self.lock().now
    }

    fn wall(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + self.monotonic()
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        Box::pin(self.wait(duration))
    }
}

/// Begins a task on a pool that is still there.
#[expect(
    clippy::expect_used,
    reason = "the pool ends after whoever can spawn on it"
)]
pub(super) fn spawn(spawner: &LocalSpawner, task: impl Future<Output = ()> + 'static) {
    spawner.spawn_local(task).expect("the pool is there");
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

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
        timeline.run(&mut pool, Duration::from_nanos(until));
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
    fn ten_thousand_sleepers_take_ten_thousand_steps() {
        let (timeline, mut pool) = (Timeline::default(), LocalPool::new());
        let polls = Rc::new(RefCell::new(0_u32));
        for millis in (0..10_000_u64).rev() {
            let (timeline, polls) = (timeline.clone(), Rc::clone(&polls));
            let wait = async move {
                timeline.sleep(Duration::from_millis(millis)).await;
                *polls.borrow_mut() += 1;
            };
            pool.spawner().spawn_local(wait).expect("it runs");
        }

        timeline.run(&mut pool, Duration::MAX);

        assert_eq!(*polls.borrow(), 10_000);
        assert_eq!(timeline.monotonic(), Duration::from_millis(9_999));
        assert_eq!(timeline.lock().begun, 9_999, "each began once");
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
        pool.spawner().spawn_local(way).expect("it runs");

        timeline.run(&mut pool, Duration::MAX);

        let moments = [20, 20, 50].map(Duration::from_millis);
        assert_eq!(*reached.borrow(), moments.map(|moment| (moment, moment)));
    }
}
