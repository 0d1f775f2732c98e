//! A service that fails at random, with the same probability under any load.
//!
//! Without a budget, a call has four attempts, one at once after the other, and formulas say
//! how much they cost: (1 − p⁴)/(1 − p) requests, of which 1 − p⁴ lead to success. The
//! tolerance is four standard errors of ours.
//!
//! With a budget for each client, the cost depends on the number of clients. All clients
//! together make 100 calls per second for 10 s. A client has 5 tokens, a call adds 0.1, a
//! retry takes 1; in the original it needs more than 1. Attempts have no other limit. A
//! thousand clients make so few calls each that a budget hardly binds. Means of 200 runs.
//! Source: github.com/mbrooker/simulator_example, `retry_sim`, simulated 200 times.

use std::{
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use client::{Clock, NoWait, RetryBudget};
use http::StatusCode;
use rand::{Rng, RngExt, rngs::ChaCha12Rng};

use super::{
    draw::part,
    experiment::{Experiment, ExperimentRun, Figure, compare},
    formula::Retries,
    stage::{ModelledService, Stage},
};
use crate::model::{
    chance::{arrivals, exponential},
    timeline::Timeline,
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

    fn simulate(&self, mut random: ChaCha12Rng) -> ExperimentRun {
        let stage = Stage::default();
        let transport = stage.transport(Failing {
            timeline: stage.timeline(),
            failure_rate: self.formula().failure_rate,
            random: Mutex::new(part(&mut random)),
        });
        let budget = || Some(RetryBudget::with_ratio(self.tokens?, CALLS_PER_RETRY));
        let rate = CALLS_PER_SECOND / f64::from(self.clients);
        for _ in 0..self.clients {
            let intervals = [(rate, Duration::ZERO, LENGTH)];
            let moments = arrivals(&mut random, intervals).collect();
            let client = stage
                .client(&transport, random.next_u64())
                .max_attempts(self.attempts)
                .policy(NoWait)
                .retry_budget(budget());
            stage.calls(client.build().expect("it breaks no rule"), moments);
        }
        stage.simulate(Duration::MAX)
    }

    fn figures(&self, runs: &[ExperimentRun]) -> Vec<Figure> {
        if let Some((theirs, tolerance)) = self.theirs {
            let loads = runs
                .iter()
                .map(|run| run.requests as f64 / run.calls.len() as f64);
            let ours = loads.sum::<f64>() / runs.len() as f64;
            let what = format!(
                "{} clients, {} % failures: requests per call",
                self.clients, self.percent
            );
            return vec![Figure::within(what, ours, theirs, tolerance)];
        }
        let formula = self.formula();
        let requests: u64 = runs.iter().map(|run| run.requests).sum();
        let calls: Vec<_> = runs.iter().flat_map(|run| &run.calls).collect();
        let succeeded = calls.iter().filter(|call| call.has_succeeded).count();
        let all = calls.len() as u64;
        vec![
            Figure::within(
                format!("p = {} %: requests per call", self.percent),
                requests as f64 / all as f64,
                formula.load(),
                ERRORS * formula.load_error(all),
            ),
            Figure::within(
                format!("p = {} %: share of the calls that succeed", self.percent),
                succeeded as f64 / all as f64,
                formula.success(),
                ERRORS * formula.success_error(all),
            ),
        ]
    }
}

struct Failing {
    timeline: Timeline,
    failure_rate: f64,
    random: Mutex<ChaCha12Rng>,
}

impl ModelledService for Failing {
    async fn respond(&self) -> Option<StatusCode> {
        let (took, fails) = {
            let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
            let took = exponential(&mut random, HOP) + exponential(&mut random, HOP);
            (took, random.random_bool(self.failure_rate))
        };
        self.timeline.sleep(took).await;
        Some(if fails {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::OK
        })
    }
}

#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn retries_cost_and_achieve_what_the_formulas_say() {
    compare(0, &FORMULA);
}

#[test]
#[ignore = "takes minutes; `.ci/full` runs it"]
fn a_budget_for_each_client_costs_as_much_as_published() {
    compare(4, &BUDGETS);
}

#[test]
fn two_runs_cost_and_achieve_what_the_formulas_say() {
    compare(0, &FORMULA.map(|row| Unreliable { runs: 2, ..row }));
}
