//! A hundred clients that want to change one record, each of which has to read it first:
//! all but one are too late, and try again.
//!
//! An attempt reads the version of the record, and writes only if the version has not
//! changed. This takes four hops of 10 ms, with a standard deviation of 2 ms. A conflict is
//! a 503, and attempts have no limit. Waits double from 10 ms up to 2 s. Means of 100 runs.
//!
//! Source: github.com/awslabs/aws-arch-backoff-simulator. The tolerance is four standard
//! errors of the difference.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use client::Clock;
use http::StatusCode;
use rand::{Rng, rngs::ChaCha12Rng};

use super::{
    draw::{normal, part},
    experiment::{Experiment, ExperimentRun, Figure, compare},
    stage::{ModelledService, Stage},
};
use crate::{clients::backoff, model::timeline::Timeline, policy::Backoff};

const RUNS: u32 = 100;
const CLIENTS: u32 = 100;

/// The ceiling of the first wait, and of every wait.
const WAITS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(2));

/// How long a message is on its way, on average.
const HOP: Duration = Duration::from_millis(10);

/// The standard deviation of the time that a message is on its way.
const DEVIATION: Duration = Duration::from_millis(2);

/// The most standard errors of the difference between two means.
const ERRORS: f64 = 4.0;

/// The source's results.
const ROWS: [Contention; 3] = [
    Contention::of(Backoff::None, (2_426.0, 3.0), (2.03, 0.005)),
    Contention::of(Backoff::Exponential, (1_846.0, 5.75), (63.3, 0.375)),
    Contention::of(Backoff::Jitter, (796.0, 0.75), (4.91, 0.055)),
];

struct Contention {
    backoff: Backoff,
    /// The number of writes, and its standard error.
    writes: (f64, f64),
    /// The seconds until the last client has succeeded, and their standard error.
    seconds: (f64, f64),
}

impl Contention {
    const fn of(backoff: Backoff, writes: (f64, f64), seconds: (f64, f64)) -> Self {
        Self {
            backoff,
            writes,
            seconds,
        }
    }

    fn waits(&self) -> &'static str {
        match self.backoff {
            Backoff::None => "no wait",
            Backoff::Exponential => "exponential, no jitter",
            Backoff::Jitter => "full jitter",
            Backoff::Constant => "constant",
        }
    }
}

impl Experiment for Contention {
    fn runs(&self) -> u32 {
        RUNS
    }

    fn simulate(&self, mut random: ChaCha12Rng) -> ExperimentRun {
        let stage = Stage::default();
        let transport = stage.transport(VersionedRecord {
            timeline: stage.timeline(),
            state: Mutex::new((part(&mut random), 0)),
        });
        for _ in 0..CLIENTS {
            let builder = stage
                .client(&transport, random.next_u64())
                .max_attempts(u32::MAX);
            let builder = backoff(builder, self.backoff, WAITS, &stage.timeline());
            let client = builder.and_then(client::Builder::build);
            stage.calls(client.expect("it breaks no rule"), vec![Duration::ZERO]);
        }
        stage.simulate(Duration::MAX)
    }

    fn figures(&self, runs: &[ExperimentRun]) -> Vec<Figure> {
        let writes = |run: &ExperimentRun| run.requests as f64;
        let seconds = |run: &ExperimentRun| {
            let last = run.calls.iter().filter_map(|call| call.ended).max();
            last.unwrap_or_default().as_secs_f64()
        };
        vec![
            self.figure("writes", runs.iter().map(writes).collect(), self.writes),
            self.figure(
                "seconds until all succeed",
                runs.iter().map(seconds).collect(),
                self.seconds,
            ),
        ]
    }
}

impl Contention {
    /// The mean of these values beside a published mean with its standard error.
    fn figure(&self, quantity: &str, values: Vec<f64>, (theirs, error): (f64, f64)) -> Figure {
        let runs = values.len() as f64;
        let mean = values.iter().sum::<f64>() / runs;
        let squares = values.iter().map(|value| (value - mean) * (value - mean));
        let variance = squares.sum::<f64>() / (runs - 1.0).max(1.0);
        let tolerance = ERRORS * (variance / runs + error * error).sqrt();
        Figure::within(
            format!("{}: {quantity}", self.waits()),
            mean,
            theirs,
            tolerance,
        )
    }
}

/// A record that only a client with its current version can change.
struct VersionedRecord {
    timeline: Timeline,
    /// The source of the network delays, and the version of the record.
    state: Mutex<(ChaCha12Rng, u32)>,
}

impl VersionedRecord {
    async fn hop(&self) {
        let took = normal(&mut self.lock().0, HOP, DEVIATION);
        self.timeline.sleep(took).await;
    }

    fn lock(&self) -> MutexGuard<'_, (ChaCha12Rng, u32)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the record, if it still has this version.
    fn write(&self, read: u32) -> bool {
        let version = &mut self.lock().1;
        let is_current = *version == read;
        *version += u32::from(is_current);
        is_current
    }
}

impl ModelledService for VersionedRecord {
    async fn respond(&self) -> Option<StatusCode> {
        self.hop().await;
        let read = self.lock().1;
        self.hop().await;
        self.hop().await;
        let is_written = self.write(read);
        self.hop().await;
        Some(if is_written {
            StatusCode::OK
        } else {
            StatusCode::SERVICE_UNAVAILABLE
        })
    }
}

#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn a_hundred_clients_write_as_often_and_as_long_as_published() {
    compare(19, &ROWS);
}
