//! Retries without feedback: the figures that follow from the probability of a failure.

use client::ConfigError;
use evidence::storm::check::{Figure, Retries};
use rand::rngs::ChaCha12Rng;

use super::{
    experiment::{Experiment, Run, Subject},
    unreliable::{ATTEMPTS, Unreliable},
};

/// How many standard errors a figure may be off: more than that are one in 16 000.
const ERRORS: f64 = 4.0;

pub(super) fn subject() -> Subject {
    let percents = [10_u32, 20, 50, 90];
    let experiments = percents.map(|percent| Box::new(Formula { percent, runs: 100 }) as _);
    Subject {
        name: "Three retries, and nothing feeds back",
        about: "An attempt fails with probability p, whatever became of the others; a call has \
                four, one at once after the other. Tolerance: four standard errors of ours.",
        source: "the formulas (1 - p^4)/(1 - p) and 1 - p^4",
        experiments: experiments.into(),
    }
}

struct Formula {
    percent: u32,
    runs: u32,
}

impl Formula {
    fn failure_rate(&self) -> f64 {
        f64::from(self.percent) / 100.0
    }
}

impl Experiment for Formula {
    fn runs(&self) -> u32 {
        self.runs
    }

    fn simulate(&self, random: ChaCha12Rng) -> Result<Run, ConfigError> {
        let unreliable = Unreliable {
            failure_rate: self.failure_rate(),
            clients: 10,
            budget: || None,
        };
        unreliable.simulate(random)
    }

    fn compare(&self, runs: &[Run]) -> Vec<Figure> {
        let formula = Retries {
            failure_rate: self.failure_rate(),
            attempts: ATTEMPTS,
        };
        let calls = || runs.iter().flat_map(|run| &run.calls);
        let (all, requests) = (calls().count() as u64, runs.iter().map(|run| run.requests));
        let succeeded = calls().filter(|call| call.has_succeeded).count();
        let figure = |quantity, ours: f64, theirs, error| {
            let setting = format!("p = {} %", self.percent);
            let ours = ours / all as f64;
            Figure::of_numbers(setting, quantity, ours, theirs, ERRORS * error)
        };
        vec![
            figure(
                "requests per call",
                requests.sum::<u64>() as f64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storm::check::experiment::simulated;

    #[test]
    fn retries_cost_and_achieve_what_the_formula_says() {
        for percent in [10, 50, 90] {
            let few = Formula { percent, runs: 10 };

            for figure in few.compare(&simulated(&few)) {
                assert!(figure.held, "{figure:?}");
            }
        }
    }
}
