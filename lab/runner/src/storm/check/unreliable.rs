//! A service that fails at random, with the same probability under any load: without a
//! budget, formulas say how much retries cost; a budget for each client depends on the
//! number of clients.

use std::{
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use client::{Clock, ConfigError, NoWait, RetryBudget};
use evidence::storm::check::{Figure, Retries};
use http::StatusCode;
use rand::{Rng, RngExt, rngs::ChaCha12Rng};

use super::{
    super::{
        chance::{arrivals, exponential},
        timeline::Timeline,
    },
    draw::part,
    experiment::{Experiment, Run, Subject, subject},
    stage::{Service, Stage},
};

/// How long calls begin.
const LENGTH: Duration = Duration::from_secs(10);

/// The calls of a second, of all clients together.
const CALLS_PER_SECOND: f64 = 100.0;

/// How long a request is on its way, and a response; on average.
const HOP: Duration = Duration::from_millis(10);

/// The tokens of a full budget.
const TOKENS: u32 = 5;

/// The number of first attempts that earn one retry.
const CALLS_PER_RETRY: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// How many standard errors a figure may be off: more than that are one in 16 000.
const ERRORS: f64 = 4.0;

pub(super) fn formula() -> Subject {
    let words = [
        "Three retries, and nothing feeds back",
        "An attempt fails with probability p, whatever became of the others; a call has four, one \
         at once after the other. Tolerance: four standard errors of ours.",
        "the formulas (1 - p^4)/(1 - p) and 1 - p^4",
    ];
    subject(words, FORMULA)
}

pub(super) fn budgets() -> Subject {
    let words = [
        "A budget of retries, for ten clients and for a thousand",
        "All clients together make 100 calls per second for 10 s, and a share of the attempts \
         fails. A client has 5 tokens, a call adds 0.1, a retry takes 1; in the original it needs \
         more than 1. Attempts have no other limit. A thousand clients make so few calls each \
         that a budget hardly binds. Means of 200 runs.",
        "github.com/mbrooker/simulator_example, retry_sim, simulated 200 times",
    ];
    subject(words, BUDGETS)
}

const FORMULA: [Unreliable; 4] = [
    Unreliable::without_budget(10),
    Unreliable::without_budget(20),
    Unreliable::without_budget(50),
    Unreliable::without_budget(90),
];

const BUDGETS: [Unreliable; 2] = [
    Unreliable::with_budget(10, (1.135, 0.005)),
    Unreliable::with_budget(1_000, (1.252, 0.01)),
];

/// Clients of such a service, which retry at once.
#[derive(Clone, Copy)]
struct Unreliable {
    /// How many of a hundred attempts fail.
    percent: u32,
    clients: u32,
    /// The most attempts of a call.
    attempts: u32,
    /// The tokens of each client's budget, if it has one: a tenth for each call.
    tokens: Option<u32>,
    runs: u32,
    /// The source's requests per call, and the tolerance; none if formulas say them.
    theirs: Option<(f64, f64)>,
}

impl Unreliable {
    const fn without_budget(percent: u32) -> Self {
        Self {
            percent,
            clients: 10,
            attempts: 4,
            tokens: None,
            runs: 100,
            theirs: None,
        }
    }

    const fn with_budget(clients: u32, theirs: (f64, f64)) -> Self {
        Self {
            percent: 20,
            clients,
            attempts: u32::MAX,
            tokens: Some(TOKENS),
            runs: 200,
            theirs: Some(theirs),
        }
    }

    fn formula(&self) -> Retries {
        Retries {
            failure_rate: f64::from(self.percent) / 100.0,
            attempts: self.attempts,
        }
    }
}

impl Experiment for Unreliable {
    fn runs(&self) -> u32 {
        self.runs
    }

    fn simulate(&self, mut random: ChaCha12Rng) -> Result<Run, ConfigError> {
        let stage = Stage::default();
        let transport = stage.transport(Failing {
            timeline: stage.timeline(),
            failure_rate: self.formula().failure_rate,
            random: Mutex::new(part(&mut random)),
        });
        let budget = || Some(RetryBudget::with_ratio(self.tokens?, CALLS_PER_RETRY));
        let rate = CALLS_PER_SECOND / f64::from(self.clients);
        for _ in 0..self.clients {
            let stretches = [(rate, Duration::ZERO, LENGTH)];
            let moments = arrivals(&mut random, stretches).collect();
            let client = stage
                .client(&transport, random.next_u64())
                .max_attempts(self.attempts)
                .policy(NoWait)
                .retry_budget(budget());
            stage.calls(client.build()?, moments);
        }
        Ok(stage.simulate(Duration::MAX))
    }

    fn compare(&self, runs: &[Run]) -> Vec<Figure> {
        const LOAD: &str = "requests per call";
        let requests = runs.iter().map(|run| run.requests as f64);
        if let Some((theirs, tolerance)) = self.theirs {
            let loads = requests
                .zip(runs)
                .map(|(it, run)| it / run.calls.len() as f64);
            let setting = format!("{} clients, {} % failures", self.clients, self.percent);
            let ours = loads.sum::<f64>() / runs.len() as f64;
            return vec![Figure::of_numbers(setting, LOAD, ours, theirs, tolerance)];
        }
        let calls = || runs.iter().flat_map(|run| &run.calls);
        let (all, formula) = (calls().count() as u64, self.formula());
        let succeeded = calls().filter(|call| call.has_succeeded).count();
        let figure = |quantity, ours: f64, theirs, error| {
            let setting = format!("p = {} %", self.percent);
            let ours = ours / all as f64;
            Figure::of_numbers(setting, quantity, ours, theirs, ERRORS * error)
        };
        vec![
            figure(
                LOAD,
                requests.sum(),
                formula.load(),
                formula.load_error(all),
            ),
            figure(
                "share of the calls that succeed",
                succeeded as f64,
                formula.success(),
                formula.success_error(all),
            ),
        ]
    }
}

struct Failing {
    timeline: Timeline,
    failure_rate: f64,
    random: Mutex<ChaCha12Rng>,
}

impl Service for Failing {
    async fn respond(&self) -> Option<StatusCode> {
        let (took, fails) = {
            let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
            let took = exponential(&mut random, HOP) + exponential(&mut random, HOP);
            (took, random.random_bool(self.failure_rate))
        };
        self.timeline.sleep(took).await;
        Some(match fails {
            true => StatusCode::SERVICE_UNAVAILABLE,
            false => StatusCode::OK,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storm::check::experiment::{Call, figures_with};

    #[test]
    fn retries_cost_and_achieve_what_the_formula_says() {
        for row in FORMULA {
            let few = Unreliable { runs: 2, ..row };

            for figure in figures_with(&few, &few) {
                assert!(figure.held, "{figure:?}");
            }
        }
    }

    #[test]
    fn every_row_of_the_formula_fails_with_one_point_more_or_an_attempt_less() {
        for row in FORMULA {
            // A run with the results that the formula gives.
            let figures = |percent, attempts| {
                let calls = 100_000;
                let row = Unreliable {
                    percent,
                    attempts,
                    ..row
                };
                let succeed = (row.formula().success() * f64::from(calls)).round() as u32;
                let call = |number| Call {
                    began: Duration::ZERO,
                    ended: None,
                    has_succeeded: number < succeed,
                };
                Run {
                    calls: (0..calls).map(call).collect(),
                    requests: (row.formula().load() * f64::from(calls)).round() as u64,
                    ..Run::default()
                }
            };
            let [right, more, fewer] = [(0, 4), (1, 4), (0, 3)]
                .map(|(more, attempts)| row.compare(&[figures(row.percent + more, attempts)]));

            for ((right, more), fewer) in right.iter().zip(more).zip(fewer) {
                assert!(right.held && (!more.held || !fewer.held), "{right:?}");
            }
        }
    }

    #[test]
    fn every_row_fails_with_another_token_without_a_budget_or_with_more_failures() {
        let held = |row: &Unreliable, simulated| {
            let simulated = Unreliable {
                runs: 4,
                ..simulated
            };
            figures_with(row, &simulated)[0].held
        };
        let [ten, thousand] = BUDGETS;

        assert!(held(&ten, ten));
        for tokens in [Some(TOKENS - 1), Some(TOKENS + 1), None] {
            assert!(!held(&ten, Unreliable { tokens, ..ten }), "{tokens:?}");
        }
        // A thousand clients seldom need their tokens.
        let percent = thousand.percent + 3;
        assert!(!held(
            &thousand,
            Unreliable {
                percent,
                ..thousand
            }
        ));
    }
}
