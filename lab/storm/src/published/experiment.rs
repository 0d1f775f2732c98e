//! An experiment: one setting of a model, simulated many times, and its figures.

use std::{fmt, ops::RangeInclusive, sync::atomic::AtomicBool, time::Duration};

use rand::rngs::ChaCha12Rng;

use super::draw::generator;
use crate::simulation::parallel;

/// The seed of all experiments.
const SEED: u64 = 1;

/// One row of a table of published figures.
pub(super) trait Experiment: Sync {
    /// How many times it is simulated.
    fn runs(&self) -> u32;

    /// Simulates it once; all chance comes from this generator.
    fn simulate(&self, random: ChaCha12Rng) -> ExperimentRun;

    /// The figures of these runs.
    fn figures(&self, runs: &[ExperimentRun]) -> Vec<Figure>;
}

/// The results of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ExperimentRun {
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

/// A figure of the lab beside a published one.
#[derive(Debug)]
pub(super) struct Figure {
    /// The setting and the quantity.
    pub(super) what: String,
    pub(super) ours: f64,
    pub(super) theirs: f64,
    /// The range of theirs if ours is right.
    pub(super) allowed: RangeInclusive<f64>,
}

impl Figure {
    /// A figure that may differ by this tolerance.
    pub(super) fn within(what: String, ours: f64, theirs: f64, tolerance: f64) -> Self {
        Self {
            what,
            ours,
            theirs,
            allowed: ours - tolerance..=ours + tolerance,
        }
    }

    pub(super) fn agrees(&self) -> bool {
        self.allowed.contains(&self.theirs)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what, ours, theirs, ..
        } = self;
        let (least, most) = (self.allowed.start(), self.allowed.end());
        let verdict = if self.agrees() { "agrees" } else { "DIFFERS" };
        write!(
            f,
            "{verdict}  {what}: ours {ours:.4}, theirs {theirs:.4}, allowed {least:.4} to {most:.4}"
        )
    }
}

/// Simulates each row of a table as often as it asks for, and compares its figures. `first`
/// is the number of the table's first row among all rows, so that no two rows draw alike.
#[expect(clippy::print_stdout, reason = "`--nocapture` shows every figure")]
pub(super) fn compare(first: u32, rows: &[impl Experiment]) {
    let mut differing = Vec::new();
    for (number, row) in (first..).zip(rows) {
        for figure in simulate(number, row) {
            println!("{figure}");
            if !figure.agrees() {
                differing.push(figure.to_string());
            }
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
}

fn simulate(number: u32, row: &impl Experiment) -> Vec<Figure> {
    let runs = parallel::each(row.runs(), &AtomicBool::new(false), |run| {
        row.simulate(generator(SEED, number, run))
    });
    for run in &runs {
        assert_eq!(run.attempts, run.ended, "the clients' own count");
    }
    row.figures(&runs)
}

#[test]
fn a_figure_agrees_up_to_its_tolerance_and_no_further() {
    let agrees = [1.4, 1.5, 2.0, 2.5, 2.6, f64::NAN].map(|ours| {
        let figure = Figure::within(String::new(), ours, 2.0, 0.5);
        figure.agrees()
    });

    assert_eq!(agrees, [false, true, true, true, false, false]);
}
