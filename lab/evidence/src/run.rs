//! A run: one scenario, run once by one client, kept as a value.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    answer::Answer,
    client::Client,
    counters::{ATTEMPTS, Counters},
    lesson::Lesson,
    outcome::{Ending, Outcome},
    policy::Policy,
    trace::Trace,
    verdict::Check,
    view::View,
    wire::WireRecord,
};

/// Whether the waits of a run are real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// A wait of a second takes a second.
    #[default]
    Real,
    /// A wait of a second takes none, and is drawn as a second.
    Virtual,
}

/// The version of the shape of a run as JSON.
pub const SCHEMA_VERSION: u32 = 3;

/// One scenario, run once: what the client was allowed, how it ended, and the
/// evidence. Lengths of time name their unit: `_ns` are whole nanoseconds, counted
/// from the start of the run where they are a moment, `_seconds` seconds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Run {
    /// The version of this shape. It rises when a member goes, or changes its name,
    /// its type or its meaning.
    pub schema_version: u32,
    /// The name of the scenario.
    pub scenario: &'static str,
    /// Which client run it.
    #[schemars(with = "String")]
    pub client: Client,
    /// What jitter, keys, cursors and ids were drawn from. With this seed and in
    /// virtual time the run repeats to the byte. It has up to 64 bits: take care
    /// where numbers are floats.
    pub seed: u64,
    /// The random generator that draws from the seed.
    pub generator: &'static str,
    /// Whether its waits were real.
    pub pace: Pace,
    /// What the reference client is allowed, and the expectations are made for.
    pub policy: Policy,
    /// How the client works, and what it is allowed, term by term.
    pub terms: Vec<String>,
    /// How it ended for the client.
    pub outcome: Outcome,
    /// What happened, as spans of the client and of the service.
    pub traces: Vec<Trace>,
    /// What the wire saw.
    pub wire: WireRecord,
    /// The counters that moved.
    pub counters: Counters,
    /// What was expected, and whether it held; nothing of a run that was
    /// cancelled, since half a run shows half of what was expected.
    pub verdict: Vec<Check>,
    /// The answer to the scenario's question; none if it was cancelled, or did not get
    /// that far.
    pub answer: Option<Answer>,
    /// What there is to learn from it.
    pub lesson: Lesson,
    /// The same in words, for whatever shows it: made once, so that a terminal, a
    /// report and the web UI say the same.
    pub view: View,
}

impl Run {
    /// Whether it came to its end, and every expectation held.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.is_cancelled() && self.verdict.iter().all(|check| check.held)
    }

    /// Whether a person ended it, so that nothing can be said of the client.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.outcome.ending == Ending::Cancelled
    }

    /// The requests that the client counted.
    #[must_use]
    pub fn counted(&self) -> u64 {
        self.counters.total(&self.client.counter(ATTEMPTS))
    }
}
