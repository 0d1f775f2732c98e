//! What two runs differ in, and which of the two did harm.
//!
//! A comparison has one number that it leads with: the first of these kinds in which the runs
//! differ, in the order of the harm that they do. Time is none of them, since waiting is not a
//! fault.

use std::collections::BTreeSet;

use judge::Ties;
use serde::Serialize;

use crate::{outcome::Ending, run::ScenarioRun, verdict::Check};

/// A kind of difference. The order is that of the harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// The jobs that were created: one too many is an order sent twice.
    Jobs,
    /// What the caller was told of a response or a listing that had to be rejected.
    Untrue,
    /// The requests that were not allowed: too early, or against a rule of the wire.
    NotAllowed,
    /// How the call ended, or of several calls how many succeeded.
    Ending,
    /// The requests at the service.
    Requests,
    /// The attempts by the client's own count, of which none reached the service.
    Attempts,
}

impl DifferenceKind {
    const ALL: [Self; 6] = [
        Self::Jobs,
        Self::Untrue,
        Self::NotAllowed,
        Self::Ending,
        Self::Requests,
        Self::Attempts,
    ];

    /// What a run has of it.
    fn measure(self, run: &ScenarioRun) -> Measure {
        match self {
            Self::Jobs => Measure::counted(run.wire.jobs_created(), "job created", "jobs created"),
            Self::Untrue => match run.outcome.number("items") {
                Some(items) => Measure::counted(
                    if accepted(run) { items } else { 0 },
                    "item taken from an invalid page",
                    "items taken from an invalid page",
                ),
                None => Measure::counted(
                    u64::from(accepted(run)),
                    "invalid response accepted",
                    "invalid responses accepted",
                ),
            },
            Self::NotAllowed => Measure::counted(
                not_allowed(run),
                "request not allowed",
                "requests not allowed",
            ),
            Self::Ending => match run.outcome.number("succeeded") {
                Some(calls) => Measure {
                    harm: u64::MAX - calls,
                    ..Measure::counted(calls, "call succeeded", "calls succeeded")
                },
                None => ending(run),
            },
            Self::Requests => Measure::counted(
                run.wire.total,
                "request at the service",
                "requests at the service",
            ),
            Self::Attempts => Measure::counted(run.counted(), "attempt", "attempts"),
        }
    }
}

/// What a run has of a kind of difference.
struct Measure {
    figure: String,
    words: &'static str,
    /// The larger, the worse.
    harm: u64,
}

impl Measure {
    fn counted(number: u64, one: &'static str, several: &'static str) -> Self {
        Self {
            figure: number.to_string(),
            words: if number == 1 { one } else { several },
            harm: number,
        }
    }
}

/// The most harmful difference of two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its kind.
    pub kind: DifferenceKind,
    /// What each run has of it, in the order of the runs.
    pub stakes: [Stake; 2],
}

/// What one run has of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stake {
    /// A number, or a word for an ending.
    pub figure: String,
    /// The words after it.
    pub words: &'static str,
    /// Whether this run broke an expectation: its figure is never a good one.
    pub did_harm: bool,
}

impl Difference {
    /// The first kind in which two runs differ; none if they differ in none.
    ///
    /// A kind that would flatter the only run that broke an expectation is passed over: a client
    /// without any limit may succeed where the other had to stop.
    #[must_use]
    pub fn of(runs: [&ScenarioRun; 2]) -> Option<Self> {
        let did_harm = runs.map(|run| !run.passed());
        DifferenceKind::ALL.into_iter().find_map(|kind| {
            let measures = runs.map(|run| kind.measure(run));
            let [one, other] = &measures;
            let flatters = match did_harm {
                [true, false] => one.harm <= other.harm,
                [false, true] => other.harm <= one.harm,
                [true, true] | [false, false] => false,
            };
            if one.figure == other.figure || flatters {
                return None;
            }
            let [one, other] = measures;
            let stake = |measure: Measure, did_harm| Stake {
                figure: measure.figure,
                words: measure.words,
                did_harm,
            };
            Some(Self {
                kind,
                stakes: [stake(one, did_harm[0]), stake(other, did_harm[1])],
            })
        })
    }
}

/// Whether the caller was told that a response or a listing was good that had to be rejected.
fn accepted(run: &ScenarioRun) -> bool {
    let is_broken = |check: &Check| check.is_rejection && !check.held;
    run.outcome.ending == Ending::Ok && run.verdict.iter().any(is_broken)
}

/// The requests that break a rule of the wire, and those that came too early.
fn not_allowed(run: &ScenarioRun) -> u64 {
    let checks = run.verdict.iter();
    let broken: BTreeSet<_> = checks.flat_map(|check| &check.requests).collect();
    (broken.len() as u64).max(Ties::of(&run.wire).early())
}

/// How a call ended: the status of an HTTP error, or a word.
fn ending(run: &ScenarioRun) -> Measure {
    let ending = run.outcome.ending;
    let (figure, words) = match ending {
        Ending::Ok => ("ok", "the call succeeded"),
        Ending::HttpError => ("error", "a failure reached the caller"),
        Ending::ResponseError => ("error", "the response was rejected"),
        Ending::ContractError => ("error", "the listing was abandoned"),
        Ending::TransportError => ("error", "no whole response"),
        Ending::Stopped => ("no end", "until the lab stopped it"),
        Ending::Cancelled => ("cancelled", "by a person"),
    };
    let status = run
        .outcome
        .number("status")
        .filter(|_| ending != Ending::Ok);
    Measure {
        figure: status.map_or(figure.to_owned(), |status| status.to_string()),
        words,
        harm: match ending {
            Ending::Ok => 0,
            Ending::Stopped => 2,
            _ => 1,
        },
    }
}
