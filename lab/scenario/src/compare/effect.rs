//! One effect in two runs: the measurements, and whether they differ.

use serde::Serialize;
use wire::{counted, duration};

use super::{
    handle::handles,
    measure::MEASURES,
    rules::{BrokenRule, Sample},
    time::Time,
};
use crate::{
    outcome::{Ending, Fact},
    run::ScenarioRun,
};

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
    /// The use of the error for the caller.
    ErrorUse,
    /// Whether a response was used that the other client rejected.
    RefusedDataUsed,
    /// The rules of the wire that were broken.
    RulesBroken,
}

/// The effects of two runs, without those that say nothing about either.
pub(super) fn effects(
    runs: [&ScenarioRun; 2],
    sample: Option<&Sample>,
    broken: [&[BrokenRule]; 2],
) -> Vec<Effect> {
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
    let mut effects: Vec<_> = measured.collect();
    effects.push(time(runs));
    effects.push(outcome(runs));
    if runs.iter().any(|run| run.outcome.ending != Ending::Ok) {
        let sides = runs.map(|run| named(handles(&run.outcome)));
        let label = "what the caller can do with the error";
        effects.push(plain(Aspect::ErrorUse, label, sides));
    }
    effects.extend(refused_data(runs));
    if let Some(sample) = sample {
        let runs = counted(sample.runs() as u64, "run");
        let label = format!("rules broken, in {runs} each");
        let sides = broken.map(|broken| {
            let ids: Vec<_> = broken.iter().map(|rule| rule.id).collect();
            named(if ids.is_empty() {
                "none".to_owned()
            } else {
                ids.join(", ")
            })
        });
        effects.push(plain(Aspect::RulesBroken, &label, sides));
    }
    effects
}

fn time(runs: [&ScenarioRun; 2]) -> Effect {
    let times = runs.map(Time::of);
    let sides = times.map(|time| Measured {
        value: u64::try_from(time.taken.as_millis())
            .unwrap_or(u64::MAX)
            .into(),
        text: duration(time.taken),
    });
    Effect {
        differs: Time::differ(times),
        ..plain(Aspect::Milliseconds, "time until the caller knew", sides)
    }
}

/// A success is compared by its text; an error by its class, since [`Aspect::ErrorUse`]
/// covers the rest.
fn outcome(runs: [&ScenarioRun; 2]) -> Effect {
    let sides = runs.map(|run| {
        let ending = run.outcome.ending;
        Measured {
            value: Fact::Name(ending.to_string()),
            text: match ending {
                Ending::Ok => run.outcome.text.clone(),
                ending => ending.to_string(),
            },
        }
    });
    plain(Aspect::Outcome, "result for the caller", sides)
}

/// Whether one client used a response that the other rejected; none if neither did.
fn refused_data(runs: [&ScenarioRun; 2]) -> Option<Effect> {
    let took = [(runs[0], runs[1]), (runs[1], runs[0])]
        .map(|(one, other)| one.outcome.ending == Ending::Ok && refused(other));
    let sides = took.map(|took| Measured {
        value: took.into(),
        text: if took { "yes" } else { "no" }.to_owned(),
    });
    let label = "used what the other client rejected";
    let effect = plain(Aspect::RefusedDataUsed, label, sides);
    took.contains(&true).then_some(effect)
}

/// Whether a client rejected a complete response that was faulty on purpose.
fn refused(run: &ScenarioRun) -> bool {
    let faulty = run
        .wire
        .entries
        .last()
        .is_some_and(|request| request.fault.is_some());
    let too_large = Fact::from("body_too_large");
    let problem = run.outcome.fact("problem");
    faulty && (run.outcome.ending == Ending::ResponseError || problem == Some(&too_large))
}

fn named(text: String) -> Measured {
    Measured {
        value: Fact::Name(text.clone()),
        text,
    }
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
