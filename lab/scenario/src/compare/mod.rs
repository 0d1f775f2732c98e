//! Two runs of one scenario by two clients, compared effect by effect: the load on the
//! service, the time and the result for the caller; and expectation by expectation.
//!
//! The comparison does not know what a scenario is about or which client should do better.
//! Equal values are never reported as different.

mod difference;
mod effect;

use serde::Serialize;

use crate::{run::ScenarioRun, verdict::Source};

pub use difference::{Difference, DifferenceKind, Stake};
pub use effect::Effect;

/// One scenario, run by two clients with one seed.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The two runs. The exit code of a command is that of the first.
    pub runs: [ScenarioRun; 2],
    /// The comparison.
    pub compared: Compared,
    /// The next command to try, as arguments of `lab`.
    pub next: String,
}

impl Comparison {
    /// Compares two runs; `next` is the command to try after them.
    #[must_use]
    pub fn of(runs: [ScenarioRun; 2], next: String) -> Self {
        Self {
            compared: Compared::of(runs.each_ref()),
            runs,
            next,
        }
    }

    /// The reasons that are true of the first run, and then those that only the second run
    /// adds.
    #[must_use]
    pub fn why(&self) -> Vec<&'static str> {
        why(&self.runs)
    }
}

/// Two runs, compared; empty if one was cancelled, since half a run cannot be compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Compared {
    /// What differs, of the kinds that matter the one that does the most harm; none if they
    /// differ in none of them.
    pub difference: Option<Difference>,
    /// The measurements of both, effect by effect.
    pub effects: Vec<Effect>,
    /// The expectations that at least one of the runs exercised.
    pub checks: Vec<ComparedCheck>,
}

/// One expectation in two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedCheck {
    /// Which evidence it is based on.
    pub source: Source,
    /// The id of the [rule](judge::rules); none for an expectation of the scenario.
    pub rule: Option<&'static str>,
    /// The expectation.
    pub text: String,
    /// Whether it held in each run; null if the run did not exercise it.
    pub held: [Option<bool>; 2],
    /// The finding in each run in which it did not hold.
    pub found: [Option<String>; 2],
}

impl Compared {
    /// Compares two runs.
    #[must_use]
    pub fn of(runs: [&ScenarioRun; 2]) -> Self {
        if runs.iter().any(|run| run.is_cancelled()) {
            return Self::default();
        }
        Self {
            difference: Difference::of(runs),
            effects: effect::effects(runs),
            checks: checks(runs),
        }
    }

    /// Whether any effect differs.
    #[must_use]
    pub fn differ(&self) -> bool {
        self.effects.iter().any(|effect| effect.differs)
    }
}

/// The reasons that are true of any of these runs, without duplicates.
#[must_use]
pub fn why<'a>(runs: impl IntoIterator<Item = &'a ScenarioRun>) -> Vec<&'static str> {
    let mut why = Vec::new();
    for sentence in runs.into_iter().flat_map(|run| &run.lesson.why) {
        if !why.contains(sentence) {
            why.push(*sentence);
        }
    }
    why
}

/// The expectations of both runs: those of the first in order, then those that only the second
/// run exercised.
fn checks(runs: [&ScenarioRun; 2]) -> Vec<ComparedCheck> {
    let verdicts = runs.map(|run| &run.verdict);
    let mut all = Vec::new();
    for check in verdicts.into_iter().flatten() {
        if !all
            .iter()
            .any(|known: &&crate::Check| known.text == check.text)
        {
            all.push(check);
        }
    }
    let compared = |check: &crate::Check| {
        let of_each = verdicts.map(|verdict| {
            let mut same = verdict.iter();
            same.find(|other| other.text == check.text)
        });
        ComparedCheck {
            source: check.source,
            rule: check.rule,
            text: check.text.clone(),
            held: of_each.map(|check| check.map(|check| check.held)),
            found: of_each.map(|check| check.and_then(crate::Check::contradiction)),
        }
    };
    all.into_iter().map(compared).collect()
}
