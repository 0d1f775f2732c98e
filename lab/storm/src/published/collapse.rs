//! A service that slows down under load, with clients that give up on it: after a spike it
//! may stay down for good.
//!
//! Calls arrive at a base rate, and at 80 a second during a spike that begins after 20 s. A
//! request takes 1 s, and 10 ms for each in flight; its client gives up after 3 s, and the
//! service works on all the same. There is no budget and no limit. A run is stuck if from
//! 60 s to 80 s less than half of the calls succeed. The source's count has to lie in the
//! 99 % prediction interval that ours gives for 20 more runs.
//!
//! Source: github.com/mbrooker/simulator_example, `simple_collapse_sim`, simulated 20 times.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use client::{Clock, NoWait};
use http::StatusCode;
use rand::{Rng, rngs::ChaCha12Rng};

use super::{
    draw::part,
    experiment::{Call, Experiment, ExperimentRun, Figure, compare},
    prediction::prediction,
    stage::{ModelledService, Stage},
};
use crate::model::{
    chance::{arrivals, exponential},
    timeline::Timeline,
};

/// How long a request is on its way, and a response; on average.
const HOP: Duration = Duration::from_millis(100);

/// How long a request takes that is alone, and how much longer for each that is in
/// flight when it arrives, itself among them.
const WORK: Duration = Duration::from_secs(1);
const MORE_WORK: Duration = Duration::from_millis(10);

/// How long a client waits for a response.
const TIMEOUT: Duration = Duration::from_secs(3);

const SPIKE_BEGINS: Duration = Duration::from_secs(20);
const SPIKE_PER_SECOND: f64 = 80.0;

/// From when on the service has had time enough to recover, and when all of it ends.
const LATE: Duration = Duration::from_secs(60);
const END: Duration = Duration::from_secs(80);

/// How many runs ours are, and the source's.
const OURS: u32 = 200;
const THEIRS: u32 = 20;

/// The source's results.
const ROWS: [Collapse; 13] = [
    Collapse::of(25, 5, 1, false, 0),
    Collapse::of(25, 5, 2, false, 0),
    Collapse::of(25, 5, 3, false, 1),
    Collapse::of(40, 5, 1, false, 0),
    Collapse::of(40, 5, 2, false, 13),
    Collapse::of(40, 5, 3, false, 14),
    Collapse::of(40, 5, 3, true, 0),
    Collapse::of(60, 5, 1, false, 0),
    Collapse::of(60, 5, 2, false, 20),
    Collapse::of(60, 5, 3, false, 20),
    Collapse::of(60, 5, 3, true, 20),
    Collapse::of(40, 3, 3, false, 0),
    Collapse::of(40, 6, 3, false, 20),
];

struct Collapse {
    /// The calls of a second before and after the spike.
    base: u32,
    /// The seconds of the spike.
    spike: u64,
    attempts: u32,
    /// Whether a client waits before a retry: up to 20 s, and up to 40 s before the
    /// second.
    backs_off: bool,
    /// How many of the source's runs were stuck.
    stuck: u32,
}

impl Collapse {
    const fn of(base: u32, spike: u64, attempts: u32, backs_off: bool, stuck: u32) -> Self {
        Self {
            base,
            spike,
            attempts,
            backs_off,
            stuck,
        }
    }

    /// When calls begin.
    fn arrivals(&self, random: &mut ChaCha12Rng) -> Vec<Duration> {
        let ends = SPIKE_BEGINS + Duration::from_secs(self.spike);
        let base = f64::from(self.base);
        let intervals = [
            (base, Duration::ZERO, SPIKE_BEGINS),
            (SPIKE_PER_SECOND, SPIKE_BEGINS, ends),
            (base, ends, END),
        ];
        arrivals(random, intervals).collect()
    }
}

impl Experiment for Collapse {
    fn runs(&self) -> u32 {
        OURS
    }

    fn simulate(&self, mut random: ChaCha12Rng) -> ExperimentRun {
        let stage = Stage::default();
        let transport = stage.transport(Slowing {
            timeline: stage.timeline(),
            state: Mutex::new(State {
                random: part(&mut random),
                in_flight: BinaryHeap::new(),
            }),
        });
        let moments = self.arrivals(&mut random);
        // With no budget and no limit, calls share nothing: one client is as good as many.
        let builder = stage
            .client(&transport, random.next_u64())
            .max_attempts(self.attempts);
        let builder = if self.backs_off {
            builder.backoff(Duration::from_secs(20), Duration::from_secs(40))
        } else {
            builder.policy(NoWait)
        };
        let client = builder.build().expect("it breaks no rule");
        stage.calls(client, moments);
        stage.simulate(END)
    }

    fn figures(&self, runs: &[ExperimentRun]) -> Vec<Figure> {
        let Self {
            base,
            spike,
            attempts,
            ..
        } = self;
        let backoff = if self.backs_off { ", backoff" } else { "" };
        let stuck = runs.iter().filter(|run| is_stuck(run)).count();
        let expected = prediction(stuck, runs.len(), THEIRS);
        vec![Figure {
            what: format!(
                "{base}/s, {spike} s spike, {attempts} attempt(s){backoff}: stuck of {} and of {THEIRS}",
                runs.len()
            ),
            ours: stuck as f64,
            theirs: f64::from(self.stuck),
            allowed: f64::from(*expected.start())..=f64::from(*expected.end()),
        }]
    }
}

/// Whether less succeeds late in a run than half of what is asked for.
fn is_stuck(run: &ExperimentRun) -> bool {
    let is_late = |moment: Duration| (LATE..END).contains(&moment);
    let offered = run.calls.iter().filter(|call| is_late(call.began));
    let succeeded = run.calls.iter().filter(|call| call.has_succeeded);
    let goodput = succeeded.filter(|call| call.ended.is_some_and(is_late));
    goodput.count() * 2 < offered.count()
}

struct Slowing {
    timeline: Timeline,
    state: Mutex<State>,
}

struct State {
    random: ChaCha12Rng,
    /// When the requests leave the service that are in it, the next first.
    in_flight: BinaryHeap<Reverse<Duration>>,
}

impl Slowing {
    fn hop(&self) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        exponential(&mut state.random, HOP)
    }

    /// Takes a request in: how long it stays.
    fn admit(&self) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.timeline.monotonic();
        while state.in_flight.peek().is_some_and(|left| left.0 <= now) {
            state.in_flight.pop();
        }
        let in_flight = u32::try_from(state.in_flight.len() + 1).unwrap_or(u32::MAX);
        let takes = WORK + MORE_WORK * in_flight;
        state.in_flight.push(Reverse(now + takes));
        takes
    }
}

impl ModelledService for Slowing {
    async fn respond(&self) -> Option<StatusCode> {
        let there = self.hop();
        self.timeline.sleep(there).await;
        // It stays for as long, whether or not its client does.
        let takes = self.admit() + self.hop();
        let patience = TIMEOUT.saturating_sub(there);
        self.timeline.sleep(takes.min(patience)).await;
        (takes < patience).then_some(StatusCode::OK)
    }
}

#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn as_many_runs_are_stuck_as_published() {
    compare(6, &ROWS);
}

#[test]
fn half_of_the_calls_are_enough() {
    let late = |succeed| {
        let call = |number| Call {
            began: LATE,
            ended: Some(LATE),
            has_succeeded: number < succeed,
        };
        ExperimentRun {
            calls: (0..10).map(call).collect(),
            ..ExperimentRun::default()
        }
    };

    assert!(is_stuck(&late(4)));
    assert!(!is_stuck(&late(5)));
}
