//! One effect in two runs: the measurements, and whether they differ.

use std::time::Duration;

use serde::Serialize;
use wire::duration;

use super::measure::MEASURES;
use crate::{outcome::Fact, run::ScenarioRun, trace::SpanName};

/// One effect in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The measured quantity.
    pub aspect: Aspect,
    /// The same as text.
    pub label: String,
    /// The measurements, in the order of the runs.
    pub sides: [Measured; 2],
    /// Whether the two differ.
    pub differs: bool,
}

/// The measurement of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The value. Durations are whole milliseconds.
    pub value: Fact,
    /// The same as text.
    pub text: String,
}

/// The quantities; the load on the service comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Requests at the service.
    Requests,
    /// Requests before a Retry-After allowed them.
    EarlyRequests,
    /// Requests that were refused with 429.
    RefusedRequests,
    /// Attempts that never reached the service.
    UnseenAttempts,
    /// Jobs that the service created.
    JobsCreated,
    /// Records returned to the caller, including duplicates.
    RecordsDelivered,
    /// Successful calls, if there were many.
    CallsSucceeded,
    /// The time until the caller had the result, in milliseconds.
    Milliseconds,
    /// The result for the caller.
    Outcome,
}

/// The effects of two runs, without those that say nothing about either.
pub(super) fn effects(runs: [&ScenarioRun; 2]) -> Vec<Effect> {
    let measured = MEASURES.into_iter().filter_map(|(aspect, label, count)| {
        let counts = runs.map(count);
        let shown = aspect == Aspect::Requests || counts.iter().any(|count| *count > 0);
        shown.then(|| {
            let sides = counts.map(|count| Measured {
                value: count.into(),
                text: count.to_string(),
            });
            plain(aspect, label, sides)
        })
    });
    measured.chain([time(runs), outcome(runs)]).collect()
}

fn time(runs: [&ScenarioRun; 2]) -> Effect {
    let sides = runs.map(|run| {
        let spans = run.trace.spans.iter();
        let runs = spans.filter(|span| span.name == SpanName::Run);
        let taken: Duration = runs
            .filter_map(|span| Some(span.end?.saturating_sub(span.start)))
            .sum();
        Measured {
            value: u64::try_from(taken.as_millis()).unwrap_or(u64::MAX).into(),
            text: duration(taken),
        }
    });
    plain(Aspect::Milliseconds, "time until the caller knew", sides)
}

fn outcome(runs: [&ScenarioRun; 2]) -> Effect {
    let sides = runs.map(|run| Measured {
        value: Fact::Name(run.outcome.ending.to_string()),
        text: run.outcome.named(),
    });
    plain(Aspect::Outcome, "result for the caller", sides)
}

/// An effect that differs if its texts do.
fn plain(aspect: Aspect, label: &str, sides: [Measured; 2]) -> Effect {
    Effect {
        aspect,
        label: label.to_owned(),
        differs: sides[0].text != sides[1].text,
        sides,
    }
}
