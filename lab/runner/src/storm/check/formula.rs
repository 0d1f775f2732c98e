//! Retries without feedback: the figures that follow from the probability of a failure.

use client::ConfigError;
use evidence::storm::check::{Figure, Retries};
use rand::rngs::ChaCha12Rng;

use super::{
    experiment::{Experiment, Run, Subject},
    unreliable::Unreliable,
};

/// How many standard errors a figure may be off: more than that are one in 16 000.
const ERRORS: f64 = 4.0;

pub(super) fn subject() -> Subject {
    let experiments = PERCENTS.map(|percent| Box::new(Formula::of(percent, 4, 100)) as _);
    Subject {
        name: "Three retries, and nothing feeds back",
        about: "An attempt fails with probability p, whatever became of the others; a call has \
                four, one at once after the other. Tolerance: four standard errors of ours.",
        source: "the formulas (1 - p^4)/(1 - p) and 1 - p^4",
        experiments: experiments.into(),
    }
}

/// The probabilities of a failure.
const PERCENTS: [u32; 4] = [10, 20, 50, 90];

struct Formula {
    percent: u32,
    attempts: u32,
    runs: u32,
}

impl Formula {
    fn of(percent: u32, attempts: u32, runs: u32) -> Self {
        Self {
            percent,
            attempts,
            runs,
        }
    }

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
            attempts: self.attempts,
            tokens: None,
        };
        unreliable.simulate(random)
    }

    fn compare(&self, runs: &[Run]) -> Vec<Figure> {
        let formula = Retries {
            failure_rate: self.failure_rate(),
            attempts: self.attempts,
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
    use std::time::Duration;

    use super::*;
    use crate::storm::check::experiment::{Call, figures_with};

    #[test]
    fn retries_cost_and_achieve_what_the_formula_says() {
        for percent in PERCENTS {
            let few = Formula::of(percent, 4, 2);

            for figure in figures_with(&few, &few) {
                assert!(figure.held, "{figure:?}");
            }
        }
    }

    /// A run with the results that the formula gives.
    fn expected(percent: u32, attempts: u32) -> Run {
        let of = Formula::of(percent, attempts, 1);
        let formula = Retries {
            failure_rate: of.failure_rate(),
            attempts,
        };
        let calls = 100_000;
        let succeed = (formula.success() * f64::from(calls)).round() as u32;
        let call = |number| Call {
            began: Duration::ZERO,
            ended: None,
            has_succeeded: number < succeed,
        };
        Run {
            calls: (0..calls).map(call).collect(),
            requests: (formula.load() * f64::from(calls)).round() as u64,
            ..Run::default()
        }
    }

    #[test]
    fn every_row_fails_with_one_point_more_or_an_attempt_less() {
        for percent in PERCENTS {
            let row = Formula::of(percent, 4, 100);
            let of = |percent, attempts| row.compare(&[expected(percent, attempts)]);
            let (right, more, fewer) = (of(percent, 4), of(percent + 1, 4), of(percent, 3));

            for ((right, more), fewer) in right.iter().zip(more).zip(fewer) {
                assert!(right.held && (!more.held || !fewer.held), "{right:?}");
            }
        }
    }
}
