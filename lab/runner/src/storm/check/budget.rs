//! A retry budget for each client: its effect depends on the number of clients.

use client::ConfigError;
use evidence::storm::check::Figure;
use rand::rngs::ChaCha12Rng;

use super::{
    experiment::{Experiment, Run, Subject},
    unreliable::Unreliable,
};

/// The tokens of a full budget.
const TOKENS: u32 = 5;

/// The source's requests per call.
const ROWS: [Budgets; 2] = [
    Budgets::of(10, 20, 1.135, 0.005),
    Budgets::of(1_000, 20, 1.252, 0.01),
];

pub(super) fn subject() -> Subject {
    Subject {
        name: "A budget of retries, for ten clients and for a thousand",
        about: "All clients together make 100 calls per second for 10 s, and a share of the \
                attempts fails. A client has 5 tokens, a call adds 0.1, a retry takes 1; in the \
                original it needs more than 1. Attempts have no other limit. A thousand clients \
                make so few calls each that a budget hardly binds. Means of 200 runs.",
        source: "github.com/mbrooker/simulator_example, retry_sim, simulated 200 times",
        experiments: ROWS.map(|row| Box::new(row) as _).into(),
    }
}

#[derive(Clone, Copy)]
struct Budgets {
    clients: u32,
    percent: u32,
    theirs: f64,
    tolerance: f64,
    tokens: Option<u32>,
    runs: u32,
}

impl Budgets {
    const fn of(clients: u32, percent: u32, theirs: f64, tolerance: f64) -> Self {
        Self {
            clients,
            percent,
            theirs,
            tolerance,
            tokens: Some(TOKENS),
            runs: 200,
        }
    }
}

impl Experiment for Budgets {
    fn runs(&self) -> u32 {
        self.runs
    }

    fn simulate(&self, random: ChaCha12Rng) -> Result<Run, ConfigError> {
        let unreliable = Unreliable {
            failure_rate: f64::from(self.percent) / 100.0,
            clients: self.clients,
            attempts: u32::MAX,
            tokens: self.tokens,
        };
        unreliable.simulate(random)
    }

    fn compare(&self, runs: &[Run]) -> Vec<Figure> {
        let loads = runs
            .iter()
            .map(|run| run.requests as f64 / run.calls.len() as f64);
        vec![Figure::of_numbers(
            format!("{} clients, {} % failures", self.clients, self.percent),
            "requests per call",
            loads.sum::<f64>() / runs.len() as f64,
            self.theirs,
            self.tolerance,
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storm::check::experiment::figures_with;

    #[test]
    fn every_row_fails_with_another_token_without_a_budget_or_with_more_failures() {
        let held = |row: &Budgets, simulated: Budgets| {
            let simulated = Budgets {
                runs: 4,
                ..simulated
            };
            figures_with(row, &simulated)[0].held
        };
        let [ten, thousand] = ROWS;

        assert!(held(&ten, ten));
        for tokens in [Some(TOKENS - 1), Some(TOKENS + 1), None] {
            assert!(!held(&ten, Budgets { tokens, ..ten }), "{tokens:?}");
        }
        // A thousand clients seldom need their tokens.
        let percent = thousand.percent + 3;
        assert!(!held(
            &thousand,
            Budgets {
                percent,
                ..thousand
            }
        ));
    }
}
