//! Retries are bounded for all calls together, not only for each.

use client::Endpoint;

use super::{
    PLAIN, Scenario,
    responder::{fails_first, unavailable},
    shown,
};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{
    Condition, Ending, Expectation, Overrides, Policy, ScenarioWords, Sentence, StopReason,
};

const DOWN: Endpoint = Endpoint::new("down", "/down");

/// How many calls are made, one after the other.
const CALLS: u32 = 5;

/// The retries that the budget allows them together. Their first attempts earn
/// half a token, which is none.
const TOKENS: u32 = 2;

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "retry-budget",
        title: "the service is down, and five calls are made",
        request: "GET /down",
        question: shown::requests(
            "Five calls are made to a service that is down. How many requests will it see?",
        ),
        hint: "What bounds each call does not bound all of them.",
        lessons: &[
            Sentence::always(
                "When a service is down, every caller retries, and the load triples just when it can \
                 bear least. A budget shared by all of them bounds the whole: once it is spent, calls \
                 end after one attempt.",
            ),
            Sentence::of(
                RELIABLE,
                &[
                    Condition::GaveUp(StopReason::RetryBudgetEmpty),
                    Condition::Requests(7),
                ],
                "The calls of the reliable client shared two retries, and only ten further calls \
                 would pay for another.",
            ),
            Sentence::of(
                RELIABLE,
                &[
                    Condition::GaveUp(StopReason::AttemptsExhausted),
                    Condition::Requests(5),
                ],
                "The calls of the reliable client were allowed one attempt each, so the budget had \
                 nothing to bound.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Requests(50)],
                "The naive client has no budget: each of its calls cost ten requests.",
            ),
        ],
        unsolved: "Other processes. Each has a budget of its own, so the service still needs limits.",
    },
    variation: Overrides {
        max_attempts: Some(2),
        ..Overrides::NONE
    },
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
