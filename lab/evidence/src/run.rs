//! A run: one scenario, played once by one client, kept as a value.

use serde::Serialize;

use crate::{
    client::Client,
    counters::{ATTEMPTS, Counters},
    lesson::Lesson,
    outcome::{Ending, Outcome},
    policy::Policy,
    trace::Trace,
    verdict::Check,
    wire::WireRecord,
};

/// Whether the waits of a run are real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// A wait of a second takes a second.
    #[default]
    Real,
    /// A wait of a second takes none, and is drawn as a second.
    Virtual,
}

/// What one run left behind.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The name of the scenario.
    pub scenario: &'static str,
    /// Which client played it.
    pub client: Client,
    /// The seed it was played with.
    pub seed: u64,
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
    pub ledger: WireRecord,
    /// The counters that moved.
    pub counters: Counters,
    /// What was expected, and whether it held; nothing of a run that was
    /// cancelled, since half a run shows half of what was expected.
    pub verdict: Vec<Check>,
    /// What there is to learn from it.
    pub lesson: Lesson,
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
