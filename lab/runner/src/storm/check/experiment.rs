//! An experiment: one setting of a model, simulated many times, and its figures.

use std::time::Duration;

use client::ConfigError;
use evidence::storm::check::{Figure, Model};
use rand::rngs::ChaCha12Rng;

/// A model without figures, and the experiments that give them.
pub(super) type Subject = (Model, Vec<Box<dyn Experiment>>);

/// A model without figures, and the experiments of its rows.
pub(super) fn subject<const N: usize>(
    [name, about, source]: [&'static str; 3],
    rows: [impl Experiment + 'static; N],
) -> Subject {
    let model = Model {
        name,
        about,
        source,
        figures: Vec::new(),
    };
    (model, rows.map(|row| Box::new(row) as _).into())
}

pub(super) trait Experiment: Sync {
    /// How many times it is simulated.
    fn runs(&self) -> u32;

    /// Simulates it once; all chance comes from this generator.
    fn simulate(&self, random: ChaCha12Rng) -> Result<Run, ConfigError>;

    /// Compares the results of its runs.
    fn compare(&self, runs: &[Run]) -> Vec<Figure>;
}

/// The results of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Run {
    /// The calls in the order in which they began.
    pub(super) calls: Vec<Call>,
    /// The requests that reached the service.
    pub(super) requests: u64,
    /// Those of them that ended before the run did, by the count of the service.
    pub(super) ended: u64,
    /// The attempts, by the clients' own counters: those that ended.
    pub(super) attempts: u64,
}

/// The result of one call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Call {
    pub(super) began: Duration,
    /// `None` if it had not ended when the run did.
    pub(super) ended: Option<Duration>,
    pub(super) has_succeeded: bool,
}

/// The figures of a row if the runs are those of another experiment.
#[cfg(test)]
pub(super) fn figures_with(row: &dyn Experiment, simulated: &dyn Experiment) -> Vec<Figure> {
    let runs = (0..simulated.runs()).map(|run| {
        let run = simulated.simulate(super::draw::generator(1, 0, run));
        run.expect("it breaks no rule")
    });
    row.compare(&runs.collect::<Vec<_>>())
}
