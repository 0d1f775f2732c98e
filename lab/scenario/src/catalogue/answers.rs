//! The facts of a run from which the answers to the questions are made.

use std::time::Duration;

use judge::Ties;

use crate::{Ending, Question, ScenarioRun, trace::field, verdict::responded};

/// How many requests the service saw.
pub(super) const REQUESTS: fn(&ScenarioRun) -> Option<u64> = |run| Some(run.wire.total);

/// How many attempts the client made, including those that did not reach the service.
pub(super) const ATTEMPTS: fn(&ScenarioRun) -> Option<u64> = |run| Some(run.counted());

/// How many jobs the service created.
pub(super) const JOBS: fn(&ScenarioRun) -> Option<u64> = |run| Some(run.wire.jobs_created());

/// How many items the caller got.
pub(super) const ITEMS: fn(&ScenarioRun) -> Option<u64> = |run| run.outcome.number("items");

/// How many records were delivered, duplicates included.
pub(super) const DELIVERED: fn(&ScenarioRun) -> Option<u64> = |run| run.outcome.number("delivered");

/// How many requests were refused with 429.
pub(super) const REFUSED: fn(&ScenarioRun) -> Option<u64> = |run| Some(responded(&run.wire, 429));

/// A question for the number of requests that the service will see.
pub(super) const fn requests(text: &'static str) -> Question {
    Question::number(text, "requests", REQUESTS)
}

/// The call succeeded.
pub(super) const SUCCESS: fn(&ScenarioRun) -> bool = |run| run.outcome.ending == Ending::Ok;

/// The call ended with an error.
pub(super) const ERROR: fn(&ScenarioRun) -> bool = |run| !SUCCESS(run) && !STOPPED(run);

/// The lab had to stop the client.
pub(super) const STOPPED: fn(&ScenarioRun) -> bool = |run| run.outcome.ending == Ending::Stopped;

/// The service saw exactly one request.
pub(super) const ONCE: fn(&ScenarioRun) -> bool = |run| run.wire.total == 1;

/// Another request followed, and none before a Retry-After allowed it.
pub(super) const IN_TIME: fn(&ScenarioRun) -> bool =
    |run| again(run) && Ties::of(&run.wire).early() == 0;

/// Another request followed before a Retry-After allowed it.
pub(super) const EARLY: fn(&ScenarioRun) -> bool =
    |run| again(run) && Ties::of(&run.wire).early() > 0;

/// Another request followed, without a wait.
pub(super) const AT_ONCE: fn(&ScenarioRun) -> bool = |run| again(run) && waited(run).is_zero();

/// Another request followed, after a wait.
pub(super) const AFTER_A_WAIT: fn(&ScenarioRun) -> bool =
    |run| again(run) && !waited(run).is_zero();

/// The service saw more than one request.
pub(super) const AGAIN: fn(&ScenarioRun) -> bool = again;

fn again(run: &ScenarioRun) -> bool {
    run.wire.total > 1
}

/// Whether the outcome names this problem.
pub(super) fn problem(run: &ScenarioRun, problem: &'static str) -> bool {
    run.outcome.fact("problem") == Some(&problem.into())
}

/// The sum of the waits before retries, as they were decided.
fn waited(run: &ScenarioRun) -> Duration {
    let spans = run.trace.spans.iter();
    spans
        .filter_map(|span| span.fields.seconds(field::WAIT_SECONDS))
        .sum()
}
