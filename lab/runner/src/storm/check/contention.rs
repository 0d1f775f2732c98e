//! Clients that want to change one record, each of which has to read it first: all but
//! one are too late, and try again.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use client::{Clock, ConfigError, NoWait, teaching::Builder};
use evidence::storm::check::Figure;
use http::StatusCode;
use rand::{Rng, rngs::ChaCha12Rng};

use super::{
    super::{exponential::Exponential, timeline::Timeline},
    draw::{normal, part},
    experiment::{Experiment, Run, Subject},
    stage::{Service, Stage},
};

const CLIENTS: u32 = 100;

/// How long a message is on its way: the mean and the standard deviation.
const HOP: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(2));

/// The ceiling of the first wait, and of every wait.
const BASE: Duration = Duration::from_millis(10);
const CAP: Duration = Duration::from_secs(2);

pub(super) fn subject() -> Subject {
    let experiments = [
        (Waits::None, (2_426.0, 12.0), (2.03, 0.02)),
        (Waits::Exponential, (1_846.0, 23.0), (63.3, 1.5)),
        (Waits::FullJitter, (796.0, 3.0), (4.91, 0.22)),
    ];
    let experiments = experiments.map(|(waits, writes, seconds)| {
        Box::new(Contention {
            waits,
            writes,
            seconds,
            runs: 100,
        }) as _
    });
    Subject {
        name: "A hundred clients that change one record",
        about: "An attempt reads the version of the record, and writes only if the version has not \
                changed. This takes four hops of 10 ms, with a standard deviation of 2 ms. A conflict is a 503, and \
                attempts have no limit. Waits double from 10 ms up to 2 s. Means of 100 runs.",
        source: "github.com/awslabs/aws-arch-backoff-simulator; tolerance: four standard errors",
        experiments: experiments.into(),
    }
}

struct Contention {
    waits: Waits,
    /// The number of writes, and the tolerance.
    writes: (f64, f64),
    /// The seconds until the last client has succeeded, and the tolerance.
    seconds: (f64, f64),
    runs: u32,
}

#[derive(Clone, Copy)]
enum Waits {
    None,
    Exponential,
    FullJitter,
}

impl Waits {
    fn name(self) -> &'static str {
        match self {
            Self::None => "no wait",
            Self::Exponential => "exponential, no jitter",
            Self::FullJitter => "full jitter",
        }
    }

    fn apply(self, client: Builder, timeline: Timeline) -> Builder {
        match self {
            Self::None => client.policy(NoWait),
            Self::Exponential => client.policy(Exponential {
                base: BASE,
                cap: CAP,
                timeline,
            }),
            Self::FullJitter => client.backoff(BASE, CAP),
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
            state: Mutex::new((part(&mut random), 0)),
        });
        for _ in 0..CLIENTS {
            let client = stage
                .client(&transport, random.next_u64())
                .max_attempts(u32::MAX);
            let client = self.waits.apply(client, stage.timeline());
            stage.calls(client.build()?, vec![Duration::ZERO]);
        }
        Ok(stage.simulate(Duration::MAX))
    }

    fn compare(&self, runs: &[Run]) -> Vec<Figure> {
        let figure = |quantity, ours: &dyn Fn(&Run) -> f64, (theirs, tolerance)| {
            let mean = runs.iter().map(ours).sum::<f64>() / runs.len() as f64;
            let setting = self.waits.name().to_owned();
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
    /// The source of the network delays, and the version of the record.
    state: Mutex<(ChaCha12Rng, u32)>,
}

impl Record {
    async fn hop(&self) {
        let took = normal(&mut self.lock().0, HOP.0, HOP.1);
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
    use super::*;
    use crate::storm::check::experiment::simulated;

    #[test]
    fn waits_without_jitter_take_twice_the_writes_and_twelve_times_as_long() {
        // The mean of four runs varies five times as much as the mean of a hundred.
        let four = |waits, writes, seconds| {
            let four = Contention {
                waits,
                writes,
                seconds,
                runs: 4,
            };
            four.compare(&simulated(&four))
        };

        for figure in [
            four(Waits::Exponential, (1_846.0, 115.0), (63.3, 7.5)),
            four(Waits::FullJitter, (796.0, 15.0), (4.91, 1.1)),
        ]
        .concat()
        {
            assert!(figure.held, "{figure:?}");
        }
    }
}
