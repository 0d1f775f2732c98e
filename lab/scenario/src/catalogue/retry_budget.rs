//! A retry budget bounds the retries of all calls together.

use super::prelude::*;
use host::FaultLabel;

const DOWN: Endpoint = Endpoint::new("down", "/down");

/// How many calls are made, one after the other.
const CALLS: u32 = 5;

/// The retries that the budget allows them together. Their first attempts earn
/// less than one token, which pays for no further retry.
const TOKENS: u32 = 2;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Limits,
    words: ScenarioWords {
        name: "retry-budget",
        title: "the service is down, and five calls are made",
        request: "GET /down",
        question: answers::requests(
            "Five calls are made to a service that is down. With a retry budget, they may make two \
                 retries together. How many requests will it see?",
        ),
        hint: "A limit for each call does not limit all calls together.",
        why: "When a service is down, all callers retry, and the load multiplies when the \
                 service can least bear it. A budget that all calls share bounds the total: once it is \
                 spent, each call ends after one attempt.",
        reliable: "The calls of the reliable client shared two retries. The budget holds 0.4 tokens \
                 now: six further calls would pay for another retry.",
        naive: "The naive client has no budget: each of its calls cost ten requests.",
        unsolved: "Other processes. Each has its own budget, so the service still needs limits.",
    },
    variation: Some(Variation {
        options: "--max-attempts 2",
        shows: "with fewer attempts a call, the budget still sets the total",
    }),
    policy: |policy| ScenarioPolicy {
        retry_budget: Some(TOKENS),
        ..policy
    },
    routes: |_| fails_first(DOWN.template(), FaultLabel("down"), |_| Some(unavailable())),
    task: Task::Repeat(DOWN, CALLS),
    expect: |policy| {
        let allowed = CALLS * (policy.max_attempts - 1);
        let retries = allowed.min(TOKENS);
        let mut expectations = vec![Expectation::ending(Ending::HttpError, "every call failed")];
        if retries > 0 {
            expectations.push(Expectation::counter(
                client::telemetry::RETRIES.name,
                retries.into(),
                "all calls together retried no more often than the budget allows",
            ));
        }
        expectations.push(Expectation::requests((CALLS + retries).into()));
        expectations
    },
    ..PLAIN
};
