//! Attempts are finite: a failure that outlasts them reaches the caller.

use client::telemetry::GIVE_UPS;

use super::{PLAIN, Scenario, flaky};
use crate::{player::Task, policy::Policy, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "flaky-gives-up",
    title: "the service fails twice, the client tries twice",
    request: "GET /flaky",
    question: "One attempt more would have succeeded. Was it wrong to stop?",
    hint: "Nobody told the client that the third call would succeed.",
    lesson: "A client cannot know whether one more attempt would help, so the number is fixed \
             beforehand and the last failure is handed on with its status. An error that says how \
             often it was tried, and why that was all, is worth more than a fourth attempt.",
    unsolved: "What the caller does next. Showing old data, a queue and an honest message are all \
               better than another loop around this one.",
    next: "scenario flaky-gives-up --max-attempts 3",
    policy: |policy| Policy {
        max_attempts: 2,
        ..policy
    },
    task: Task::Flaky,
    expect: |policy| {
        let mut expectations = (flaky::SCENARIO.expect)(policy);
        let gave_up = u64::from(policy.max_attempts < flaky::FIRST_SUCCESS);
        expectations.push(Expectation::counter(
            GIVE_UPS.name,
            gave_up,
            "the give-up, if there was one, was counted once",
        ));
        expectations
    },
    ..PLAIN
};
