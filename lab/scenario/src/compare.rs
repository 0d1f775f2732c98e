//! Two runs of one scenario by two clients, compared effect by effect: the load on the
//! service, the time, the result for the caller, and the rules of the wire that each
//! broke.
//!
//! The comparison does not know what a scenario is about or which client should do better.
//! Equal values are never reported as different.

mod effect;
mod handle;
mod measure;
mod remark;
mod rules;
mod time;

use render::Mark;
use serde::Serialize;
use wire::counted;

use crate::{
    Client,
    outcome::Fact,
    run::ScenarioRun,
    view::{self, Phrase},
};
pub use effect::{Aspect, Effect, Measured};
pub use remark::Remark;
pub use rules::{BrokenRule, Sample};

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
    pub fn of(runs: [ScenarioRun; 2], sample: Option<&Sample>, next: String) -> Self {
        Self {
            compared: Compared::of(runs.each_ref(), sample),
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

/// Two runs, compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The results of each client, in the order of the runs.
    pub sides: [Side; 2],
    /// The measurements of both, effect by effect; empty if one was cancelled, since half a
    /// run cannot be compared.
    pub effects: Vec<Effect>,
    /// The remarks on the comparison.
    pub remarks: Vec<Remark>,
}

/// The results of one of two clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// The client.
    pub client: Client,
    /// Its name in a sentence: "the naive client".
    pub title: String,
    /// Its results, in a line of phrases: the jobs that it left, if the other client left
    /// another number; how it ended, the number of attempts, and the number of broken rules.
    pub result: Vec<Phrase>,
    /// The rules of the wire that it broke.
    pub broken: Vec<BrokenRule>,
}

impl Compared {
    /// Compares two runs. Rules are judged on `sample`, since one run does not exercise every
    /// rule; without a sample none is judged.
    #[must_use]
    pub fn of(runs: [&ScenarioRun; 2], sample: Option<&Sample>) -> Self {
        let whole = runs.iter().all(|run| !run.is_cancelled());
        let sample = sample.filter(|_| whole);
        let broken = match sample {
            Some(sample) => sample.broken(runs),
            None => Default::default(),
        };
        let (mut effects, mut remarks) = (Vec::new(), Vec::new());
        if whole {
            let broken = broken.each_ref().map(Vec::as_slice);
            effects = effect::effects(runs, sample, broken);
            remarks = remark::remarks(runs, &effects, broken);
        }
        let mut broken = broken.into_iter();
        let mut jobs = jobs(&effects).into_iter().flatten();
        Self {
            sides: runs.map(|run| {
                let broken = broken.next().unwrap_or_default();
                Side {
                    client: run.client,
                    title: run.client.title(),
                    result: result(run, jobs.next(), sample.map(|_| broken.len())),
                    broken,
                }
            }),
            effects,
            remarks,
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

/// The jobs that the service has of each client, if their numbers differ: more than the
/// other client left are too many.
fn jobs(effects: &[Effect]) -> Option<[Phrase; 2]> {
    let mut created = effects
        .iter()
        .filter(|effect| effect.aspect == Aspect::JobsCreated && effect.differs);
    let numbers = created.next()?.sides.each_ref().map(|side| &side.value);
    let [Fact::Number(one), Fact::Number(other)] = numbers else {
        return None;
    };
    Some([one, other].map(|number| {
        let (mark, sign) = if number > one.min(other) {
            (Mark::Failed, '✗')
        } else {
            (Mark::Ok, '✓')
        };
        let jobs = counted(*number, "job");
        Phrase::new(mark, format!("{sign} the service has {jobs}"))
    }))
}

/// The jobs it left, if the other client left another number; how it ended, the number of
/// attempts, and the number of broken rules.
fn result(run: &ScenarioRun, jobs: Option<Phrase>, broken: Option<usize>) -> Vec<Phrase> {
    let Some(ended) = run.view.ended.as_ref().filter(|_| !run.is_cancelled()) else {
        return run.view.result.clone();
    };
    let rules = broken.map(|number| match number {
        0 => Phrase::new(Mark::Ok, "✓ breaks no rule"),
        _ => {
            let rules = counted(number as u64, "rule");
            Phrase::new(Mark::Failed, format!("✗ breaks {rules}"))
        }
    });
    let phrases = [
        view::ended_with(ended, run.outcome.ending),
        view::attempts(run.counted()),
    ];
    jobs.into_iter().chain(phrases).chain(rules).collect()
}
