//! Retries are bounded for all calls together, not only for each.

use client::Endpoint;

use super::{
    PLAIN, Scenario,
    responder::{fails_first, unavailable},
};
use crate::{outcome::Ending, player::Task, policy::Policy, verdict::Expectation};

const DOWN: Endpoint = Endpoint::new("down", "/down");

/// How many calls are made, one after the other.
const CALLS: u32 = 5;

/// The retries that the budget allows them together. Their first attempts earn
/// half a token, which is none.
const TOKENS: u32 = 2;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "retry-budget",
    title: "the service is down, and five calls are made",
    request: "GET /down",
    question: "Five calls of up to three attempts each. How many requests is that?",
    hint: "The budget of all calls together holds two retries.",
    lesson: "When a service is down, every caller retries, and the load triples just when it can \
             bear least. A budget shared by all of them bounds the whole: once it is spent, calls \
             end after one attempt, and only ten further calls pay for another retry.",
    unsolved: "Other processes. Each has a budget of its own, so the service still needs limits.",
    next: "scenario retry-budget --max-attempts 2",
    policy: |policy| Policy {
        retry_budget: Some(TOKENS),
        ..policy
    },
    routes: |_| fails_first(DOWN.template(), "down", |_| Some(unavailable())),
    task: Task::Repeat(DOWN, CALLS),
    expect: |policy| {
        let wanted = CALLS * (policy.max_attempts - 1);
        let retries = wanted.min(TOKENS);
        vec![
            Expectation::ending(Ending::HttpError, "every call failed"),
            Expectation::counter(
                client::telemetry::RETRIES.name,
                retries.into(),
                "all calls together retried no more than the budget allows",
            ),
            Expectation::requests((CALLS + retries).into()),
        ]
    },
    ..PLAIN
};
