//! A deadline covers attempts and waits: a wait that would pass it is not started.

use host::FaultLabel;
use http::HeaderValue;

use super::prelude::*;

const SLOW: Endpoint = Endpoint::new("slow", "/slow");

/// The Retry-After of the service, in seconds.
const ASKED: u64 = 10;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Limits,
    words: ScenarioWords {
        name: "deadline",
        title: "the caller has less time than the wait takes",
        request: "GET /slow",
        question: Question::choices(
            "The caller has five seconds, and a 503 says Retry-After: 10. What follows?",
            &[
                Choice::new("a request before the ten seconds are over", answers::EARLY),
                Choice::new("a request after ten seconds", answers::IN_TIME),
                Choice::new("an error at once", answers::ONCE),
            ],
        ),
        hint: "What would the caller know after five seconds that it does not know now?",
        why: "A wait that cannot end before the deadline only delays the error.",
        reliable: "So the reliable client stopped at once. Its error says how long the service asked \
                 to wait, and the caller has five seconds left for something else.",
        naive: HEADER_NOT_READ,
        unsolved: "Passing the deadline on. A service that is called in turn knows it only if a \
                   header carries it.",
    },
    policy: |policy| ScenarioPolicy {
        deadline: Some(Duration::from_secs(5)),
        ..policy
    },
    routes: |_| {
        fails_first(SLOW.template(), FaultLabel("slow"), |_| {
            Some(unavailable_until(HeaderValue::from(ASKED)))
        })
    },
    task: Task::Get(SLOW),
    expect: |policy| {
        // The first reason that applies is the one given.
        let reason = if policy.max_retry_after.as_secs() < ASKED {
            StopReason::RetryAfterOverBudget
        } else if policy.max_attempts < 2 {
            StopReason::AttemptsExhausted
        } else {
            StopReason::Deadline
        };
        vec![
            Expectation::ending(Ending::HttpError, "the failure reached the caller"),
            Expectation::names_reason(reason),
            Expectation::fact(
                "retry_after_seconds",
                ASKED,
                "the caller knows that it should wait 10 s",
            ),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
