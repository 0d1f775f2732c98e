//! How late the lab itself is: a timer that is started again and again, and the most that
//! it overslept.
//!
//! A client's own lateness is its own matter. The lab's lateness makes a client look slow.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep};

/// The time between two looks at the clock.
const TICK: Duration = Duration::from_millis(10);

/// The largest delay so far, shared by all who measure it.
#[derive(Clone, Debug, Default)]
pub struct LabDelay(Arc<AtomicU64>);

impl LabDelay {
    /// Measures the runtime that polls this, without an end.
    pub async fn measure(self) -> ! {
        loop {
            let begun = Instant::now();
            sleep(TICK).await;
            let late = begun.elapsed().saturating_sub(TICK);
            let late = u64::try_from(late.as_nanos()).unwrap_or(u64::MAX);
            self.0.fetch_max(late, Relaxed);
        }
    }

    /// The largest delay so far.
    pub fn largest(&self) -> Duration {
        Duration::from_nanos(self.0.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, thread};

    use super::*;
    use tokio::time::timeout;

    #[tokio::test]
    async fn a_runtime_that_is_held_up_is_late_for_that_long() {
        let held_up = Duration::from_millis(60);
        let delay = LabDelay::default();
        tokio::spawn(delay.clone().measure());
        sleep(TICK / 2).await;

        thread::sleep(held_up);
        let _ = timeout(2 * TICK, pending::<()>()).await;

        assert!(delay.largest() >= held_up - TICK, "{delay:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_runtime_that_is_on_time_has_no_delay() {
        let delay = LabDelay::default();

        let _ = timeout(100 * TICK, delay.clone().measure()).await;

        assert!(delay.largest() <= Duration::from_millis(1), "{delay:?}");
    }
}
