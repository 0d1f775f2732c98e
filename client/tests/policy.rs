//! A policy speaks of the time of day, which may step while it is asked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use client::{Backoff, Classifier, Clock, RetryMiddleware, Sleep, VirtualClock};

use crate::bench::{Bench, Draw, Script, status};
use crate::support::{stack, virtual_clock};

/// A virtual clock whose calendar is set forward or back at one of its
/// readings.
struct Stepping {
    time: VirtualClock,
    readings: AtomicU32,
    step_at: u32,
    forward: bool,
}

const STEP: Duration = Duration::from_secs(3600);

impl Clock for Stepping {
    fn monotonic(&self) -> Duration {
        self.time.monotonic()
    }

    fn wall(&self) -> SystemTime {
        let before = self.time.wall() + STEP;
        let stepped = self.readings.fetch_add(1, Ordering::Relaxed) >= self.step_at;
        match (stepped, self.forward) {
            (false, _) => before,
            (true, true) => before + STEP,
            (true, false) => before - STEP,
        }
    }

    fn sleep(&self, duration: Duration) -> Sleep<'_> {
        self.time.sleep(duration)
    }
}

#[tokio::test]
async fn a_step_of_the_calendar_is_no_part_of_a_wait() {
    let cap = Duration::from_millis(10);
    let bench = Bench::new(Script::always(status(503))).await;
    for (step_at, forward) in (0..12).flat_map(|at| [(at, true), (at, false)]) {
        let time = virtual_clock();
        let clock = Arc::new(Stepping {
            time: time.clone(),
            readings: AtomicU32::new(0),
            step_at,
            forward,
        });
        let backoff = Backoff::new(
            cap,
            cap,
            Arc::<Stepping>::clone(&clock),
            Arc::new(Draw(0.5)),
        );
        let backoff = backoff.expect("legal");

        let retries = RetryMiddleware::with_policy(backoff, Classifier::default(), clock);
        let response = stack(retries).get(bench.server.uri()).send().await;

        assert_eq!(response.expect("a response").status(), 503);
        assert_eq!(
            time.sleeps(),
            [cap / 2; 2],
            "a step at reading {step_at}, forward: {forward}"
        );
    }
}
