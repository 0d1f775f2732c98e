//! A wait longer than the caller allows is handed on, never shortened.

use client::RetryBudget;

use super::{Scenario, as_it_is};
use crate::{
    outcome::{Ending, Outcome},
    verdict::Expectation,
};

/// What the service asks for, in seconds.
const ASKED: u64 = 120;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "retry-later",
    title: "the service asks for a wait of two minutes",
    request: "GET /retry-later",
    listing: false,
    question: "The client may wait 30 s, the service asks for 120 s. What should it do?",
    lesson: "Waiting only 30 s would break the server's rule; waiting 120 s would break the \
             caller's. So the client stops at once and hands the wait on: the caller can do \
             something useful with two minutes, a blocked thread cannot.",
    next: "scenario retry-later --max-retry-after 120 --pace virtual",
    faults: &[],
    policy: as_it_is,
    act: |client| {
        Box::pin(async move { Outcome::of(client.retry_later().await, |_| Outcome::ok("ok")) })
    },
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
            // The shared retry budget bounds even a patient client.
            let most = policy.max_attempts.min(1 + RetryBudget::DEFAULT_CAPACITY);
            expectations.push(Expectation::requests(most.into()));
        }
        expectations
    },
};
