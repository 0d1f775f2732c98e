//! A retry budget for each client: its effect depends on the number of clients.

use std::num::NonZeroU32;

use client::{ConfigError, RetryBudget};
use evidence::storm::check::Figure;
use rand::rngs::ChaCha12Rng;

use super::{
    experiment::{Experiment, Run, Subject},
    unreliable::Unreliable,
};

/// The tokens of a full budget.
const TOKENS: u32 = 5;

/// The number of first attempts that earn one retry.
const CALLS_PER_RETRY: NonZeroU32 = NonZeroU32::new(10).unwrap();

pub(super) fn subject() -> Subject {
    let experiments = [(10, 1.135), (1_000, 1.252)].map(|(clients, theirs)| {
        Box::new(Budgets {
            clients,
            theirs,
            runs: 200,
        }) as _
    });
    Subject {
        name: "A budget of retries, for ten clients and for a thousand",
        about: "All clients together make 100 calls per second for 10 s. One attempt in five \
                fails, and a call makes at most four attempts. A client has 5 tokens, a call \
                adds 0.1, a retry takes 1. In the original, a retry needs more than 1 token, \
                and attempts are not limited. A thousand \
                clients make so few calls each that a budget hardly ever binds. Means of 200 runs.",
        source: "github.com/mbrooker/simulator_example, retry_sim",
        experiments: experiments.into(),
    }
}

struct Budgets {
    clients: u32,
    theirs: f64,
    runs: u32,
}

impl Experiment for Budgets {
    fn runs(&self) -> u32 {
        self.runs
    }

    fn simulate(&self, random: ChaCha12Rng) -> Result<Run, ConfigError> {
        let unreliable = Unreliable {
            failure_rate: 0.2,
            clients: self.clients,
            budget: || Some(RetryBudget::with_ratio(TOKENS, CALLS_PER_RETRY)),
        };
        unreliable.simulate(random)
    }

    fn compare(&self, runs: &[Run]) -> Vec<Figure> {
        let loads = runs
            .iter()
            .map(|run| run.requests as f64 / run.calls.len() as f64);
        vec![Figure::of_numbers(
            format!("{} clients", self.clients),
            "requests per call",
            loads.sum::<f64>() / runs.len() as f64,
            self.theirs,
            0.01,
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storm::check::experiment::simulated;

    #[test]
    fn retries_of_ten_clients_are_limited_by_the_tokens_of_their_budgets() {
        let ten = Budgets {
            clients: 10,
            theirs: 1.135,
            runs: 1,
        };

        let runs = simulated(&ten);

        let calls = runs[0].calls.len() as u64;
        let retries = runs[0].requests - calls;
        assert!(retries <= 10 * u64::from(TOKENS) + calls / 10);
        assert!(retries >= calls / 10, "{retries} of {calls}");
        // One run varies by 0.003.
        let figure = &ten.compare(&runs)[0];
        assert!(figure.held, "{figure:?}");
    }
}
