//! How late the lab itself is: a timer that is started again and again, and by how much it
//! overslept.
//!
//! A client's own lateness is its own matter. The lab's lateness makes a client look slow, and
//! a machine on which the lab is late delays clients as well.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep};
use wire::TimerDelay;

/// The time between two looks at the clock. Shorter delays are not kept one by one.
const TICK: Duration = Duration::from_millis(5);

/// The most delays that are kept, which are the newest ones: a client of a case has ended
/// before there are more, and the others are of an open case.
const MOST: usize = 4_096;

/// The delays so far, shared by all who measure them.
#[derive(Clone, Debug, Default)]
pub(super) struct LabDelay(Arc<Mutex<Delays>>);

#[derive(Debug, Default)]
struct Delays {
    largest: Duration,
    /// When the timer was to fire, and how late it was.
    newest: VecDeque<(Instant, Duration)>,
}

impl LabDelay {
    /// Measures the runtime that polls this, without an end.
    pub(super) async fn measure(self) -> ! {
        loop {
            let due = Instant::now() + TICK;
            sleep(TICK).await;
            let late = due.elapsed();
            let mut delays = self.lock();
            delays.largest = delays.largest.max(late);
            if late >= TICK {
                if delays.newest.len() == MOST {
                    delays.newest.pop_front();
                }
                delays.newest.push_back((due, late));
            }
        }
    }

    /// The largest delay so far.
    pub(super) fn largest(&self) -> Duration {
        self.lock().largest
    }

    /// The longer delays after this moment, from which their own moments are counted.
    pub(super) fn since(&self, begun: Instant) -> Vec<TimerDelay> {
        let delays = self.lock();
        let since = delays.newest.iter().filter_map(|(due, late)| {
            let due = due.checked_duration_since(begun)?;
            Some(TimerDelay { due, late: *late })
        });
        since.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Delays> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, thread};

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_runtime_that_is_held_up_is_late_for_that_long() {
        let held_up = Duration::from_millis(60);
        let delay = LabDelay::default();
        let begun = Instant::now();
        tokio::spawn(delay.clone().measure());
        sleep(TICK / 2).await;

        thread::sleep(held_up);
        let _ = timeout(2 * TICK, pending::<()>()).await;

        let least = held_up - TICK;
        assert!(delay.largest() >= least, "{delay:?}");
        let delays = delay.since(begun);
        let longest = delays.iter().max_by_key(|delay| delay.late);
        assert!(longest.is_some_and(|longest| longest.late >= least && longest.due < held_up));
        assert_eq!(delay.since(Instant::now()), []);
    }

    #[tokio::test(start_paused = true)]
    async fn a_runtime_that_is_on_time_has_no_delay() {
        let delay = LabDelay::default();
        let begun = Instant::now();

        let _ = timeout(100 * TICK, delay.clone().measure()).await;

        assert!(delay.largest() <= Duration::from_millis(1), "{delay:?}");
        assert_eq!(delay.since(begun), []);
    }
}
