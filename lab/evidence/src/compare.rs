//! Two runs of one scenario by two clients, held beside each other by effect: what
//! each cost the service, how long it took, what its caller has at the end, and which
//! rules of the wire it broke.
//!
//! Nothing is known here of what a scenario is about or which client ought to do well.
//! What is equal is never called different.

mod effect;
mod handle;
mod measure;
mod remark;
mod rules;
mod time;

use schemars::JsonSchema;
use serde::Serialize;

pub use effect::{Aspect, Effect, Measured};
pub use remark::Remark;
pub use rules::{BrokenRule, Sample};

use crate::{
    client::Client,
    plot::Mark,
    run::Run,
    view::{self, Phrase},
};

/// One scenario, run by two clients with one seed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// The two runs. The exit code of a command is that of the first.
    pub runs: [Run; 2],
    /// What they came to.
    pub compared: Compared,
    /// What to try next: arguments of `lab`.
    pub next: String,
}

impl Comparison {
    /// Compares two runs; `next` is what to try after them.
    #[must_use]
    pub fn of(runs: [Run; 2], sample: Option<&Sample>, next: String) -> Self {
        Self {
            compared: Compared::of(runs.each_ref(), sample),
            runs,
            next,
        }
    }

    /// Why it matters: what is true of the first run, and then what the second adds to
    /// it.
    #[must_use]
    pub fn why(&self) -> Vec<&'static str> {
        why(&self.runs)
    }
}

/// What two runs came to, beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Compared {
    /// What each client came to, in the order of the runs.
    pub sides: [Side; 2],
    /// What was measured on both, effect by effect; nothing if one was cancelled, since
    /// half a run cannot be compared.
    pub effects: Vec<Effect>,
    /// What is to be said about it.
    pub remarks: Vec<Remark>,
}

/// What one of two clients came to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Side {
    /// Which client it is.
    #[schemars(with = "String")]
    pub client: Client,
    /// How it is called in a sentence: "the naive client".
    pub title: String,
    /// What it came to, in a line of phrases: how it ended, the number of attempts, and
    /// how many rules it broke.
    pub result: Vec<Phrase>,
    /// The rules of the wire that it broke.
    pub broken: Vec<BrokenRule>,
}

impl Compared {
    /// Holds two runs beside each other. Rules are held to `sample`, since one run does
    /// not show each of them; without one none is judged.
    #[must_use]
    pub fn of(runs: [&Run; 2], sample: Option<&Sample>) -> Self {
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
        Self {
            sides: runs.map(|run| {
                let broken = broken.next().unwrap_or_default();
                Side {
                    client: run.client,
                    title: run.client.title(),
                    result: result(run, sample.map(|_| broken.len())),
                    broken,
                }
            }),
            effects,
            remarks,
        }
    }

    /// Whether anything differs.
    #[must_use]
    pub fn differ(&self) -> bool {
        self.effects.iter().any(|effect| effect.differs)
    }
}

/// What is true of any of these runs, each sentence once.
#[must_use]
pub fn why<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Vec<&'static str> {
    let mut why = Vec::new();
    for sentence in runs.into_iter().flat_map(|run| &run.lesson.why) {
        if !why.contains(sentence) {
            why.push(*sentence);
        }
    }
    why
}

/// How it ended, the number of attempts, and how many rules were broken.
fn result(run: &Run, broken: Option<usize>) -> Vec<Phrase> {
    let Some(ended) = run.view.ended.as_ref().filter(|_| !run.is_cancelled()) else {
        return run.view.result.clone();
    };
    let rules = broken.map(|number| {
        let (mark, text) = match number {
            0 => (Mark::Ok, "✓ breaks no rule".to_owned()),
            1 => (Mark::Failed, "✗ breaks 1 rule".to_owned()),
            _ => (Mark::Failed, format!("✗ breaks {number} rules")),
        };
        let mark = Some(mark);
        Phrase { mark, text }
    });
    let phrases = [view::ended_with(ended), view::attempts(run.counted())];
    phrases.into_iter().chain(rules).collect()
}
