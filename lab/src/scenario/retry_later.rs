//! A wait longer than the caller allows is handed on, never shortened.

use std::time::Duration;

use client::Endpoint;

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

/// What the service asks for, in seconds.
const ASKED: u64 = 120;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "retry-later",
    title: "the service asks for a wait of two minutes",
    request: "GET /retry-later",
    question: "The client may wait 30 s, the service asks for 120 s. What should it do?",
    hint: "The Retry-After is the server's rule, the budget the caller's. Both must hold.",
    lesson: "Waiting only 30 s would break the server's rule; waiting 120 s would break the \
             caller's. So the client stops at once and hands the wait on: the caller can do \
             something useful with two minutes, a blocked thread cannot.",
    unsolved: "When to call again. The client says after how long; a timer or a queue of the caller's has to do it.",
    next: "scenario retry-later --max-retry-after 120 --pace virtual",
    task: Task::Get(Endpoint::RETRY_LATER),
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
            expectations.push(Expectation::fact(
                "gave_up",
                "retry_after_over_budget",
                "the client stopped at once",
            ));
            expectations.push(Expectation::requests(1));
        } else {
            let requests = policy.most_attempts();
            let wait = Duration::from_secs(ASKED);
            let waits = vec![wait..=wait; requests as usize - 1];
            expectations.push(Expectation::waited_as_asked(&waits));
            expectations.push(Expectation::requests(requests.into()));
        }
        expectations
    },
    ..PLAIN
};
