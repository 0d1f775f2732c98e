//! What a run has shown: what the answers to the questions are read off.

use std::time::Duration;

use evidence::{Ending, Fact, Question, Run, Ties, trace::field};

/// How many requests the service saw.
pub(super) const REQUESTS: fn(&Run) -> Option<u64> = |run| Some(run.wire.total);

/// How many attempts the client made, those included that nobody saw.
pub(super) const ATTEMPTS: fn(&Run) -> Option<u64> = |run| Some(run.counted());

/// How many jobs the service created.
pub(super) const JOBS: fn(&Run) -> Option<u64> = |run| Some(run.wire.jobs_created());

/// How many items the caller was handed.
pub(super) const ITEMS: fn(&Run) -> Option<u64> = |run| number(run, "items");

/// How many records were delivered, each as often as it was.
pub(super) const DELIVERED: fn(&Run) -> Option<u64> = |run| number(run, "delivered");

/// How many requests were refused with 429.
pub(super) const REFUSED: fn(&Run) -> Option<u64> = |run| Some(responded(run, 429));

/// What a client is asked for by the number of requests that the service will see.
pub(super) const fn requests(text: &'static str) -> Question {
    Question::number(text, "requests", REQUESTS)
}

/// The caller has what it asked for.
pub(super) const SUCCESS: fn(&Run) -> bool = |run| run.outcome.ending == Ending::Ok;

/// The caller has an error.
pub(super) const ERROR: fn(&Run) -> bool = |run| !SUCCESS(run) && !STOPPED(run);

/// The lab had to stop the client.
pub(super) const STOPPED: fn(&Run) -> bool = |run| run.outcome.ending == Ending::Stopped;

/// The service saw one request, and no other.
pub(super) const ONCE: fn(&Run) -> bool = |run| run.wire.total == 1;

/// Another request followed, and none before a Retry-After allowed it.
pub(super) const IN_TIME: fn(&Run) -> bool = |run| again(run) && Ties::of(&run.wire).early() == 0;

/// Another request followed before a Retry-After allowed it.
pub(super) const EARLY: fn(&Run) -> bool = |run| again(run) && Ties::of(&run.wire).early() > 0;

/// Another request followed, without a wait.
pub(super) const AT_ONCE: fn(&Run) -> bool = |run| again(run) && waited(run).is_zero();

/// Another request followed, after a wait.
pub(super) const AFTER_A_WAIT: fn(&Run) -> bool = |run| again(run) && !waited(run).is_zero();

/// The service sent more than one request's worth of responses.
pub(super) const AGAIN: fn(&Run) -> bool = again;

fn again(run: &Run) -> bool {
    run.wire.total > 1
}

/// Whether this was wrong with a listing or a response.
pub(super) fn problem(run: &Run, problem: &'static str) -> bool {
    run.outcome.fact("problem") == Some(&problem.into())
}

/// How many requests got this status.
pub(super) fn responded(run: &Run, status: u16) -> u64 {
    let entries = run.wire.entries.iter();
    entries.filter(|it| it.status == Some(status)).count() as u64
}

/// The waits before retries, all together, as they were decided.
fn waited(run: &Run) -> Duration {
    let spans = run.traces.iter().flat_map(|trace| &trace.spans);
    spans
        .filter_map(|span| span.fields.seconds(field::WAIT_SECONDS))
        .sum()
}

fn number(run: &Run, name: &str) -> Option<u64> {
    match run.outcome.fact(name) {
        Some(Fact::Number(number)) => Some(*number),
        _ => None,
    }
}
