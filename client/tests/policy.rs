//! A policy speaks of the time of day, which may step while it is asked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use client::{Backoff, Clock, RetryMiddleware, Sleep, VirtualClock};

use crate::bench::{Bench, Draw, Script, clock, status};
use crate::support::stack;

/// A virtual clock whose calendar is an hour ahead, and by another time from one of its
/// readings on.
struct Stepping {
    time: VirtualClock,
    readings: AtomicU32,
    step_at: u32,
    ahead: Duration,
}

const HOUR: Duration = Duration::from_secs(3600);

impl Clock for Stepping {
    fn monotonic(&self) -> Duration {
        self.time.monotonic()
    }

    fn wall(&self) -> SystemTime {
        let stepped = self.readings.fetch_add(1, Ordering::Relaxed) >= self.step_at;
        self.time.wall() + if stepped { self.ahead } else { HOUR }
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        self.time.sleep(duration)
    }
}

#[tokio::test]
async fn a_step_of_the_calendar_is_no_part_of_a_wait() {
    let cap = Duration::from_millis(10);
    let bench = Bench::new(Script::always(status(503))).await;
    for (step_at, ahead) in (0..12).flat_map(|at| [(at, Duration::ZERO), (at, 2 * HOUR)]) {
        let time = clock();
        let clock: Arc<dyn Clock> = Arc::new(Stepping {
            time: time.clone(),
            readings: AtomicU32::new(0),
            step_at,
            ahead,
        });
        let backoff = Backoff::new(cap, cap, Arc::clone(&clock), Arc::new(Draw(0.5)));
        let backoff = backoff.expect("legal");

        let retries = RetryMiddleware::with_policy(backoff, clock);
        let response = stack(retries).get(bench.server.uri()).send().await;

        assert_eq!(response.expect("a response").status(), 503);
        let waits = time.sleeps();
        assert_eq!(waits, [cap / 2; 2], "{ahead:?} ahead at reading {step_at}");
    }
}
