//! A run: one scenario, run once by one client, as a value.

use std::time::Duration;

use judge::Names;
use render::timeline::{Tag, Timeline};
use serde::{Deserialize, Serialize};
use wire::{WireRecord, WireRequest, counted};

use crate::{
    Client, chart,
    counters::{ATTEMPTS, Counters, RETRIES},
    lesson::Lesson,
    outcome::{Ending, Outcome},
    policy::ScenarioPolicy,
    question::Answer,
    trace::{SpanName, Trace},
    verdict::Check,
    wire_facts::carried,
};

/// Whether the waits of a run are real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// A wait of a second takes a second.
    #[default]
    Real,
    /// A wait of a second takes no time, and is drawn as a second.
    Virtual,
}

impl Pace {
    /// Says whether the waits were real.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Real => "real time",
            Self::Virtual => "virtual time: waits are computed, not waited for",
        }
    }
}

/// The version of the JSON format of a run.
pub(crate) const SCHEMA_VERSION: u32 = 7;

/// One scenario, run once: the limits of the client, how it ended, and the evidence. Names
/// of durations end in their unit: `_ns` are whole nanoseconds (counted from the start of
/// the run for a moment), `_seconds` are seconds.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioRun {
    /// The version of the JSON format. It rises when a member is removed, or changes its
    /// name, its type or its meaning.
    pub schema_version: u32,
    /// The name of the scenario.
    pub scenario: &'static str,
    /// The client that ran it.
    pub client: Client,
    /// The seed of jitter, keys, cursors and ids. With the same seed, a run in virtual time
    /// is identical to the byte. It has up to 64 bits: a JSON reader that parses numbers as
    /// floats loses digits.
    pub seed: u64,
    /// The random generator that uses the seed.
    pub generator: &'static str,
    /// Whether its waits are real.
    pub pace: Pace,
    /// The limits of the reference client. The expectations are made for them.
    pub policy: ScenarioPolicy,
    /// How the client works and its limits, one phrase each.
    pub terms: Vec<String>,
    /// How it ended for the client.
    pub outcome: Outcome,
    /// The spans of the client and of the service.
    pub trace: Trace,
    /// The record of the wire.
    pub wire: WireRecord,
    /// The counters that moved.
    pub counters: Counters,
    /// The expectations, and whether each held; empty if the run was cancelled, since half a
    /// run meets only half of them.
    pub verdict: Vec<Check>,
    /// The answer to the scenario's question; none if the run was cancelled or did not get
    /// that far.
    pub answer: Option<Answer>,
    /// The lesson of it.
    pub lesson: Lesson,
}

impl ScenarioRun {
    /// Whether it ran to its end and every expectation held.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.is_cancelled() && self.verdict.iter().all(|check| check.held)
    }

    /// Whether a person stopped it, so that it says nothing about the client.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.outcome.ending == Ending::Cancelled
    }

    /// Its calls, attempts and waits on an axis of time, with a tag for what each request
    /// carried. Of a flood the middle is left out.
    #[must_use]
    pub fn timeline(&self) -> Timeline {
        let mut timeline = chart::for_a_page(&self.trace, self.passed());
        let names = Names::of(&self.wire.entries);
        let shown = chart::shown_requests(&self.trace, &self.wire, &timeline.rows);
        for row in &mut timeline.rows {
            let Some(request) = shown.get(&row.id) else {
                continue;
            };
            let is_bad = self.breaks_a_rule(request);
            let tag = carried(request, &names).map(|words| Tag { words, is_bad });
            row.tags = tag.into_iter().collect();
        }
        timeline
    }

    /// Whether this request broke a rule of the wire.
    fn breaks_a_rule(&self, request: &WireRequest) -> bool {
        let mut checks = self.verdict.iter();
        checks.any(|check| check.requests.contains(&request.seq))
    }

    /// How it ended, in a few words. An error that was expected is a result.
    #[must_use]
    pub fn ending(&self) -> String {
        let named = self.outcome.named();
        match self.outcome.ending {
            Ending::Ok | Ending::Stopped | Ending::Cancelled => named,
            _ if self.passed() => format!("gave up, as expected · {}", self.outcome.detail()),
            ending => ending.phrase(&named),
        }
    }

    /// The number of requests by the client's own count.
    #[must_use]
    pub fn counted(&self) -> u64 {
        self.counters.total(ATTEMPTS)
    }

    /// The number of retries by the client's own count.
    #[must_use]
    pub fn retries(&self) -> u64 {
        self.counters.total(RETRIES)
    }

    /// The time until the caller knew the result.
    #[must_use]
    pub fn duration(&self) -> Duration {
        let spans = self.trace.spans.iter();
        let runs = spans.filter(|span| span.name == SpanName::Run);
        let lasted = runs.filter_map(|span| Some(span.end?.saturating_sub(span.start)));
        lasted.sum()
    }

    /// The requests that the service saw, and the count of the client, as a phrase.
    pub(crate) fn requests(&self) -> String {
        let seen = counted(self.wire.total, "request");
        format!(
            "the service saw {seen}; the client counted {}",
            self.counted()
        )
    }
}

/// The phrase for a cancelled run, instead of a verdict.
pub(crate) const NOT_JUDGED: &str = "cancelled, so nothing is judged";
