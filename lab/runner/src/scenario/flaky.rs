//! A failure that passes is worth another attempt, after a wait.

use super::{NO_ATTEMPT_LEFT, PLAIN, Scenario, Share, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, Overrides, ScenarioWords, Sentence, StopReason};

/// The first call that succeeds.
pub(super) const FIRST_SUCCESS: u32 = 3;

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "flaky",
        title: "the service fails twice, then recovers",
        request: "GET /flaky",
        question: shown::requests(
            "Two calls get a 503, the third would succeed. How many requests will the service \
                 see?",
        ),
        hint: "A GET changes nothing, so it may be sent again, for as long as attempts are left.",
        lessons: &[
            Sentence::always(
                "A 503 often passes, so a GET, which changes nothing, is worth another attempt.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::RequestsFrom(2)],
                "Each wait of the reliable client was drawn at random below a ceiling that doubles, \
                 so that clients that failed together do not come back together.",
            ),
            NO_ATTEMPT_LEFT,
            Sentence::of(
                NAIVE,
                &[Condition::RequestsFrom(2)],
                "The naive client came back at once each time; many like it bear down on a service \
                 that fails already.",
            ),
        ],
        unsolved: "A service that stays down. Attempts run out, and the caller has to be ready for that.",
    },
    load: Share::fault(8),
    variation: Overrides {
        max_attempts: Some(2),
        ..Overrides::NONE
    },
    task: Task::Flaky,
    expect: |policy| {
        if policy.max_attempts < FIRST_SUCCESS {
            return vec![
                Expectation::ending(Ending::HttpError, "the last failure reached the caller"),
                Expectation::fact("status", 503_u64, "its status is 503"),
                Expectation::fact(
                    "gave_up",
                    StopReason::AttemptsExhausted,
                    "all attempts were used",
                ),
                Expectation::requests(policy.max_attempts.into()),
            ];
        }
        vec![
            Expectation::fact("attempt", 3_u64, "succeeded with attempt 3"),
            Expectation::requests(FIRST_SUCCESS.into()),
        ]
    },
    ..PLAIN
};
