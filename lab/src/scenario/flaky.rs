//! A failure that passes is worth another attempt, after a wait.

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

/// The call that the service answers first.
pub(super) const FIRST_SUCCESS: u32 = 3;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "flaky",
    title: "the service fails twice, then answers",
    request: "GET /flaky",
    question: "How many requests will the service see, and what happens between them?",
    hint: "Three attempts are allowed, and each wait is drawn from zero up to a ceiling that doubles.",
    lesson: "A 503 often passes, so a GET, which changes nothing, is worth another attempt. The \
             waits grow and are drawn at random, so that clients that failed together do not come \
             back together.",
    unsolved: "A service that stays down. The attempts run out, and the caller needs an answer to that.",
    next: "scenario flaky --max-attempts 2",
    task: Task::Flaky,
    expect: |policy| {
        if policy.max_attempts < FIRST_SUCCESS {
            return vec![
                Expectation::ending(Ending::HttpError, "the last failure reached the caller"),
                Expectation::fact("status", 503_u64, "its status is 503"),
                Expectation::fact("gave_up", "attempts_exhausted", "all attempts were used"),
                Expectation::requests(policy.max_attempts.into()),
            ];
        }
        vec![
            Expectation::fact("attempt", 3_u64, "answered with attempt 3"),
            Expectation::requests(FIRST_SUCCESS.into()),
        ]
    },
    ..PLAIN
};
