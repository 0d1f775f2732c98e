//! A temporary failure is worth another attempt, after a wait.

use super::prelude::*;

/// The first call that succeeds.
pub(super) const FIRST_SUCCESS: u32 = 3;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Retrying,
    words: ScenarioWords {
        name: "flaky",
        title: "the service fails twice, then recovers",
        request: "GET /flaky",
        question: answers::requests(
            "Two requests get a 503, the third would succeed. How many requests will the service \
                 see?",
        ),
        hint: "A GET changes nothing, so a client may send it again while it has attempts left.",
        why: "A 503 is often temporary. A GET changes nothing, so it is safe to send again.",
        reliable: "Each wait of the reliable client was chosen at random below a ceiling that \
                 doubles (full jitter), so clients that failed together do not retry together.",
        naive: "The naive client came back at once each time. Many such clients together overload \
                 a service that is already failing, as `lab storm` shows.",
        unsolved: "A service that stays down. The attempts run out, and the caller must handle the \
                 error.",
    },
    load: Share::fault(8),
    variation: Some(Variation {
        options: "--max-attempts 2",
        shows: "the attempts run out before the service recovers",
    }),
    task: Task::Flaky,
    expect: |policy| {
        if policy.max_attempts < FIRST_SUCCESS {
            return vec![
                Expectation::ending(Ending::HttpError, "the last failure reached the caller"),
                Expectation::fact("status", 503_u64, "its status is 503"),
                Expectation::gave_up(StopReason::AttemptsExhausted, "all attempts were used"),
                Expectation::requests(policy.max_attempts.into()),
            ];
        }
        vec![
            Expectation::fact("attempt", 3_u64, "succeeded on attempt 3"),
            Expectation::requests(FIRST_SUCCESS.into()),
        ]
    },
    ..PLAIN
};
