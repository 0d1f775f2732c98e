//! A Retry-After that cannot be read is no order to call at once.

use client::Endpoint;
use http::HeaderValue;

use super::{
    NO_ATTEMPT_LEFT, PLAIN, Scenario,
    responder::{fails_first, unavailable_until},
    shown,
};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Choice, Condition, Ending, Expectation, Policy, Question, ScenarioWords, Sentence};

const CONFUSED: Endpoint = Endpoint::new("confused", "/confused");

/// What is sent on one call after the other.
const VALUES: [&str; 4] = ["-1", "1.5", "soon", ""];

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "retry-after-unusable",
        title: "Retry-After: -1, 1.5, soon, and nothing",
        request: "GET /confused",
        question: Question::choices(
            "Three 503s say Retry-After: -1, 1.5 and soon. When do the next requests come?",
            &[
                Choice::new("at once", shown::AT_ONCE),
                Choice::new("after waits of their own", shown::AFTER_A_WAIT),
                Choice::new("never: the call ends", shown::ONCE),
            ],
        ),
        hint: "Reading -1 as a large number, as zero, or as nothing are three different clients.",
        lessons: &[
            Sentence::always(
                "A value that is neither whole seconds nor a date says nothing, and then a client's \
                 own backoff applies, as if the header were not there. Reading it as zero would turn \
                 a broken header into a call at once.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::RequestsFrom(2)],
                "Each wait of the reliable client was drawn at random from its own backoff.",
            ),
            NO_ATTEMPT_LEFT,
            Sentence::of(
                NAIVE,
                &[Condition::RequestsFrom(2)],
                "The naive client came back at once each time.",
            ),
        ],
        unsolved: "What the service meant. Only its owner can mend the header.",
    },
    policy: |policy| Policy {
        max_attempts: 5,
        ..policy
    },
    routes: |_| {
        fails_first(CONFUSED.template(), "confused", |call| {
            let value = VALUES.get(call)?;
            Some(unavailable_until(HeaderValue::from_static(value)))
        })
    },
    task: Task::Get(CONFUSED),
    expect: |policy| {
        let needed = 1 + VALUES.len() as u64;
        let (ending, says) = if u64::from(policy.max_attempts) < needed {
            (
                Ending::HttpError,
                "its attempts ran out before the service recovered",
            )
        } else {
            (
                Ending::Ok,
                "its attempts lasted until the service recovered",
            )
        };
        let requests = needed.min(policy.max_attempts.into());
        vec![
            Expectation::ending(ending, says),
            Expectation::waited_as_asked(&[]),
            Expectation::counter(
                client::telemetry::RETRIES.name,
                requests - 1,
                "each retry waited for the backoff",
            ),
            Expectation::requests(requests),
        ]
    },
    ..PLAIN
};
