//! A Retry-After may be a date, and the client waits until then.

use host::FaultLabel;
use http::HeaderValue;
use wire::{RetryAfter, duration};

use super::prelude::*;
use crate::verdict::Source;

const MAINTENANCE: Endpoint = Endpoint::new("maintenance", "/maintenance");

/// How far ahead the date lies.
const AHEAD: Duration = Duration::from_secs(3);

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::RetryAfter,
    words: ScenarioWords {
        name: "retry-after-date",
        title: "a 503 whose Retry-After is a date",
        request: "GET /maintenance",
        question: Question::choices(
            "The Retry-After of a 503 is a date three seconds ahead. When does the next request \
                 come?",
            &[
                Choice::new("before that date", answers::EARLY),
                Choice::new("not before that date", answers::IN_TIME),
                Choice::new("never: the call ends", answers::ONCE),
            ],
        ),
        hint: "A date is in whole seconds, and a client uses its own clock.",
        why: "RFC 9110 allows seconds or a date, in three formats. A client that reads only \
                 seconds retries too early when it gets a date.",
        reliable: "The reliable client waited in full: it subtracted the current time from the date, \
                 and measured the wait on a monotonic clock.",
        naive: HEADER_NOT_READ,
        unsolved: "A client whose clock is wrong waits for the wrong time. A service that can \
                   choose should send seconds.",
    },
    routes: |clock| {
        fails_first(
            MAINTENANCE.template(),
            FaultLabel("maintenance"),
            move |call| {
                let date = httpdate::fmt_http_date(clock.wall() + AHEAD);
                let date = HeaderValue::try_from(date).ok()?;
                (call == 0).then(|| unavailable_until(date))
            },
        )
    },
    task: Task::Get(MAINTENANCE),
    expect: |policy| {
        if policy.max_retry_after < AHEAD {
            return vec![waits_or_gives_up(policy.max_retry_after)];
        }
        expect_recovery(policy, AHEAD, Expectation::waited_until_date(AHEAD))
    },
    ..PLAIN
};

/// A date is in whole seconds, and time passes before the client reads it. So the remaining
/// wait may still be within the limit. That no request comes early is judged in every run.
fn waits_or_gives_up(limit: Duration) -> Expectation {
    let text = format!(
        "the client waited for no longer than its limit of {}, or gave up",
        duration(limit)
    );
    Expectation::new(text, Source::Client, move |evidence| {
        let gave_up = evidence.outcome.fact("gave_up")?;
        let last = evidence.wire.entries.last();
        let asked = last.and_then(|last| last.retry_after);
        let asked = asked.map_or(Duration::ZERO, RetryAfter::wait);
        let is_in_vain = *gave_up == StopReason::RetryAfterOverBudget.into() && asked <= limit;
        is_in_vain.then(|| {
            let asked = duration(asked);
            format!("it gave up, although asked to wait only {asked}")
        })
    })
}
