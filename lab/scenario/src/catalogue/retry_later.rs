//! A wait longer than the caller allows is reported to the caller, never shortened.

use super::prelude::*;

/// The Retry-After of the service, in seconds.
const ASKED: u64 = 120;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::RetryAfter,
    words: ScenarioWords {
        name: "retry-later",
        title: "a 503 with a Retry-After of 120, each time",
        request: "GET /retry-later",
        question: Question::choices(
            "A 503 says Retry-After: 120. What follows?",
            &[
                Choice::new("a request before the two minutes are over", answers::EARLY),
                Choice::new("a request after two minutes", answers::IN_TIME),
                Choice::new("an error that says how long to wait", |run| {
                    answers::ONCE(run) && run.outcome.fact("retry_after_seconds").is_some()
                }),
                Choice::new("an error that does not say so", |run| {
                    answers::ONCE(run) && run.outcome.fact("retry_after_seconds").is_none()
                }),
            ],
        ),
        hint: "The service and the caller each have a limit.",
        why: "A shorter wait breaks the service's rule. A wait longer than the caller accepts \
                 breaks the caller's rule. Both rules apply.",
        reliable: "So the reliable client stopped at once, and its error says how long to wait. The \
                 caller can do something useful for two minutes; a blocked thread cannot.",
        naive: HEADER_NOT_READ,
        unsolved: "When to call again. An error can say how long to wait; the caller needs a timer \
                   or a queue for it.",
    },
    load: Share::fault(2),
    variation: Some(Variation {
        options: "--max-retry-after 120 --pace virtual",
        shows: "the client waits twice for two minutes, and the service still fails",
    }),
    task: Task::Get(endpoint::RETRY_LATER),
    expect: |policy| {
        let mut expectations = vec![
            Expectation::ending(Ending::HttpError, "the failure reached the caller"),
            Expectation::fact("status", 503_u64, "its status is 503"),
            Expectation::fact(
                "retry_after_seconds",
                ASKED,
                "the caller was told to wait 120 s",
            ),
        ];
        if policy.max_retry_after.as_secs() < ASKED {
            expectations.push(Expectation::gave_up(
                StopReason::RetryAfterOverBudget,
                "the client stopped at once",
            ));
            expectations.push(Expectation::requests(1));
        } else {
            let requests = policy.most_attempts();
            let wait = Duration::from_secs(ASKED);
            let waits = vec![wait; requests as usize - 1];
            expectations.push(Expectation::waited_as_asked(&waits));
            expectations.push(Expectation::requests(requests.into()));
        }
        expectations
    },
    ..PLAIN
};
