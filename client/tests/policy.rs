//! A policy of the caller's: what it is asked, and what becomes of its word.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use client::{
    Backoff, Classifier, Clock, RetryMiddleware, Sleep, VirtualClock, without_hidden_requests,
};
use reqwest_retry::{RetryDecision, RetryPolicy};

use crate::bench::{Bench, Draw, Script, status};
use crate::support::virtual_clock;

/// Notes how many retries it was told of.
struct Noted(Arc<Mutex<Vec<u32>>>);

impl RetryPolicy for Noted {
    fn should_retry(&self, start: SystemTime, past_retries: u32) -> RetryDecision {
        self.0.lock().expect("no panic").push(past_retries);
        RetryDecision::Retry {
            execute_after: start,
        }
    }
}

/// Sends one request over a stack whose service sends `statuses`, the
/// last of them for ever.
async fn send(
    retries: RetryMiddleware<impl RetryPolicy + Send + Sync + 'static>,
    statuses: &'static [u16],
) {
    let (last, first) = statuses.split_last().expect("a status");
    let script = Script::of(first.iter().map(|code| status(*code)));
    let bench = Bench::new(script.and_then_always(status(*last))).await;
    let session = without_hidden_requests(reqwest::Client::builder().tls_certs_only([]));
    let session = session.no_proxy().build().expect("a session");
    let stack = reqwest_middleware::ClientBuilder::new(session).with(retries);

    let response = stack.build().get(bench.server.uri()).send().await;

    response.expect("a response");
}

#[tokio::test]
async fn a_policy_is_asked_once_for_each_retry_and_never_after_a_success() {
    for (statuses, asked) in [
        (&[200][..], vec![]),
        (&[404], vec![]),
        (&[503, 200], vec![0]),
        (&[503], vec![0, 1]),
    ] {
        let questions = Arc::default();
        let policy = Noted(Arc::clone(&questions));
        let clock = Arc::new(virtual_clock());

        send(
            RetryMiddleware::with_policy(policy, Classifier::default(), clock),
            statuses,
        )
        .await;

        assert_eq!(*questions.lock().expect("no panic"), asked, "{statuses:?}");
    }
}

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

        send(
            RetryMiddleware::with_policy(backoff, Classifier::default(), clock),
            &[503],
        )
        .await;

        assert_eq!(
            time.sleeps(),
            [cap / 2; 2],
            "a step at reading {step_at}, forward: {forward}"
        );
    }
}
