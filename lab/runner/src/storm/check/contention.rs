//! Clients that want to change one record, each of which has to read it first: all but
//! one are too late, and try again.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use client::{Clock, ConfigError};
use evidence::storm::{Backoff, check::Figure};
use http::StatusCode;
use rand::{Rng, rngs::ChaCha12Rng};

use super::{
    super::{clients::backoff, timeline::Timeline},
    draw::{normal, part},
    experiment::{self, Experiment, Run, Subject},
    stage::{Service, Stage},
};

/// The standard deviation of the time that a message is on its way.
const DEVIATION: Duration = Duration::from_millis(2);

/// The most standard errors of the difference between two means.
const ERRORS: f64 = 4.0;

pub(super) fn subject() -> Subject {
    let words = [
        "A hundred clients that change one record",
        "An attempt reads the version of the record, and writes only if the version has not \
                changed. This takes four hops of 10 ms, with a standard deviation of 2 ms. A conflict is a 503, and \
                attempts have no limit. Waits double from 10 ms up to 2 s. Means of 100 runs.",
        "github.com/awslabs/aws-arch-backoff-simulator; tolerance: four standard errors of \
                 the difference",
    ];
    experiment::subject(words, ROWS)
}

/// The source's results.
const ROWS: [Contention; 3] = [
    Contention::of(Backoff::None, (2_426.0, 3.0), (2.03, 0.005)),
    Contention::of(Backoff::Exponential, (1_846.0, 5.75), (63.3, 0.375)),
    Contention::of(Backoff::Jitter, (796.0, 0.75), (4.91, 0.055)),
];

#[derive(Clone, Copy)]
struct Contention {
    backoff: Backoff,
    /// The number of writes, and its standard error.
    writes: (f64, f64),
    /// The seconds until the last client has succeeded, and their standard error.
    seconds: (f64, f64),
    clients: u32,
    /// How long a message is on its way, on average.
    hop: Duration,
    /// The ceiling of the first wait, and of every wait.
    base: Duration,
    cap: Duration,
    runs: u32,
}

impl Contention {
    const fn of(backoff: Backoff, writes: (f64, f64), seconds: (f64, f64)) -> Self {
        Self {
            backoff,
            writes,
            seconds,
            clients: 100,
            hop: Duration::from_millis(10),
            base: Duration::from_millis(10),
            cap: Duration::from_secs(2),
            runs: 100,
        }
    }

    fn waits(&self) -> &'static str {
        match self.backoff {
            Backoff::None => "no wait",
            Backoff::Exponential => "exponential, no jitter",
            Backoff::Jitter => "full jitter",
        }
    }
}

impl Experiment for Contention {
    fn runs(&self) -> u32 {
        self.runs
    }

    fn simulate(&self, mut random: ChaCha12Rng) -> Result<Run, ConfigError> {
        let stage = Stage::default();
        let transport = stage.transport(Record {
            timeline: stage.timeline(),
            hop: self.hop,
            state: Mutex::new((part(&mut random), 0)),
        });
        for _ in 0..self.clients {
            let client = stage
                .client(&transport, random.next_u64())
                .max_attempts(u32::MAX);
            let waits = (self.base, self.cap);
            let client = backoff(client, self.backoff, waits, &stage.timeline());
            stage.calls(client.build()?, vec![Duration::ZERO]);
        }
        Ok(stage.simulate(Duration::MAX))
    }

    fn compare(&self, runs: &[Run]) -> Vec<Figure> {
        let figure = |quantity, ours: &dyn Fn(&Run) -> f64, (theirs, error): (f64, f64)| {
            let all = runs.len() as f64;
            let mean = runs.iter().map(ours).sum::<f64>() / all;
            let squares = runs
                .iter()
                .map(|run| (ours(run) - mean) * (ours(run) - mean));
            let square = squares.sum::<f64>() / (all - 1.0).max(1.0) / all;
            let tolerance = ERRORS * (square + error * error).sqrt();
            let setting = self.waits().to_owned();
            Figure::of_numbers(setting, quantity, mean, theirs, tolerance)
        };
        let last = |run: &Run| {
            let last = run.calls.iter().filter_map(|call| call.ended).max();
            last.unwrap_or_default().as_secs_f64()
        };
        vec![
            figure("writes", &|run| run.requests as f64, self.writes),
            figure("seconds until all succeed", &last, self.seconds),
        ]
    }
}

/// A record that only a client with its current version can change.
struct Record {
    timeline: Timeline,
    hop: Duration,
    /// The source of the network delays, and the version of the record.
    state: Mutex<(ChaCha12Rng, u32)>,
}

impl Record {
    async fn hop(&self) {
        let took = normal(&mut self.lock().0, self.hop, DEVIATION);
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

impl Service for Record {
    async fn respond(&self) -> Option<StatusCode> {
        self.hop().await;
        let read = self.lock().1;
        self.hop().await;
        self.hop().await;
        let is_written = self.write(read);
        self.hop().await;
        Some(match is_written {
            true => StatusCode::OK,
            false => StatusCode::SERVICE_UNAVAILABLE,
        })
    }
}

#[cfg(test)]
mod tests {
    use evidence::storm::check::Compared;

    use super::*;
    use crate::storm::check::experiment::figures_with;

    #[test]
    fn every_row_fails_with_fewer_clients_or_longer_ways_and_waits() {
        for row in ROWS {
            let one = Contention { runs: 1, ..row };
            let fewer = Contention { clients: 85, ..one };
            let slower = Contention {
                hop: one.hop * 3 / 2,
                ..one
            };
            let longer = Contention {
                cap: one.cap * 2,
                ..one
            };
            let wrong = [fewer, slower, longer].map(|wrong| figures_with(&row, &wrong));

            for (number, (_, error)) in [row.writes, row.seconds].into_iter().enumerate() {
                // A hundred runs of ours vary as much as theirs, and one run ten times as much.
                let is_far = |figures: &Vec<Figure>| match figures[number].compared {
                    Compared::Numbers { ours, theirs, .. } => {
                        (ours - theirs).abs() > 2.0 * ERRORS * error + 20.0 * error
                    }
                    Compared::Counts { .. } => false,
                };
                assert!(
                    wrong.iter().any(is_far),
                    "{:?}",
                    wrong.map(|it| it[number].clone())
                );
            }
        }
    }
}
