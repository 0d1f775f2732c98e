//! One effect in two runs: the values, and whether they differ.

use judge::Ties;
use serde::Serialize;
use wire::duration;

use crate::{run::ScenarioRun, verdict::responded};

/// One effect in two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// The measured quantity.
    pub label: &'static str,
    /// The values as text, in the order of the runs.
    pub sides: [String; 2],
    /// Whether the two differ.
    pub differs: bool,
}

/// A count of a run: its label, and its number.
type Count = (&'static str, fn(&ScenarioRun) -> u64);

/// The counts, without the number of requests; the load on the service comes first.
const COUNTS: [Count; 6] = [
    ("early requests", |run| Ties::of(&run.wire).early()),
    ("requests refused with 429", |run| responded(&run.wire, 429)),
    ("attempts that never arrived", |run| {
        run.counted().saturating_sub(run.wire.total)
    }),
    ("jobs created", |run| run.wire.jobs_created()),
    ("records, including duplicates", |run| {
        let records = ["delivered", "items"].map(|name| run.outcome.number(name));
        records.into_iter().flatten().max().unwrap_or(0)
    }),
    ("successful calls", |run| {
        run.outcome.number("succeeded").unwrap_or(0)
    }),
];

/// The effects of two runs, without the counts that are zero in both.
pub(super) fn effects(runs: [&ScenarioRun; 2]) -> Vec<Effect> {
    let counts = COUNTS.into_iter().filter_map(|(label, count)| {
        let counts = runs.map(count);
        (counts != [0, 0]).then(|| Effect::of(label, counts.map(|count| count.to_string())))
    });
    let requests = runs.map(|run| run.wire.total.to_string());
    [Effect::of("requests at the service", requests)]
        .into_iter()
        .chain(counts)
        .chain([
            Effect::of(
                "time until the caller knew",
                runs.map(|run| duration(run.duration())),
            ),
            Effect::of("result for the caller", runs.map(|run| run.outcome.named())),
        ])
        .collect()
}

impl Effect {
    fn of(label: &'static str, sides: [String; 2]) -> Self {
        let [one, other] = &sides;
        Self {
            label,
            differs: one != other,
            sides,
        }
    }
}
