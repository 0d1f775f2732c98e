//! The counts of a run.

use judge::Ties;

use super::Aspect;
use crate::{outcome::Fact, run::ScenarioRun};
/// A count of a run: what it is about, the same as text, and its number.
type Measure = (Aspect, &'static str, fn(&ScenarioRun) -> u64);

/// All counts; the load on the service comes first.
pub(super) const MEASURES: [Measure; 7] = [
    (Aspect::Requests, "requests at the service", |run| {
        run.wire.total
    }),
    (Aspect::EarlyRequests, "early requests", |run| {
        Ties::of(&run.wire).early()
    }),
    (
        Aspect::RefusedRequests,
        "requests refused with 429",
        |run| {
            let entries = run.wire.entries.iter();
            entries.filter(|entry| entry.status == Some(429)).count() as u64
        },
    ),
    (
        Aspect::UnseenAttempts,
        "attempts that never arrived",
        |run| run.counted().saturating_sub(run.wire.total),
    ),
    (Aspect::JobsCreated, "jobs created", |run| {
        run.wire.jobs_created()
    }),
    (
        Aspect::RecordsDelivered,
        "records, including duplicates",
        |run| number(run, "delivered").max(number(run, "items")),
    ),
    (Aspect::CallsSucceeded, "successful calls", |run| {
        number(run, "succeeded")
    }),
];

fn number(run: &ScenarioRun, name: &str) -> u64 {
    match run.outcome.fact(name) {
        Some(Fact::Number(number)) => *number,
        _ => 0,
    }
}
