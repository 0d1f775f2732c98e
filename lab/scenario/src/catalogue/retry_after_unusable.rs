//! After an invalid Retry-After the client uses its own backoff.

use host::FaultLabel;
use http::HeaderValue;

use super::prelude::*;

const CONFUSED: Endpoint = Endpoint::new("confused", "/confused");

/// The values of one response after the other.
const VALUES: [&str; 4] = ["-1", "1.5", "soon", ""];

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::RetryAfter,
    words: ScenarioWords {
        name: "retry-after-unusable",
        title: "a Retry-After of \"-1\", \"1.5\", \"soon\" or \"\"",
        request: "GET /confused",
        question: Question::choices(
            "Four 503s have the Retry-After values \"-1\", \"1.5\", \"soon\" and \"\". When do the \
                 next requests come?",
            &[
                Choice::new("at once", answers::AT_ONCE),
                Choice::new("after backoffs", answers::AFTER_A_WAIT),
                Choice::new("never: the call ends", answers::ONCE),
            ],
        ),
        hint: "A client could read -1 as a large number, as zero, or as invalid. What would each \
                 do next?",
        why: "A value that is neither whole seconds nor a date is invalid. A client then uses \
                 its own backoff, as if the header were absent. Reading the value as zero would \
                 turn a broken header into an immediate retry.",
        reliable: "The backoff of the reliable client chose each wait at random.",
        naive: "The naive client came back at once each time.",
        unsolved: "What the service meant. Only its owner can correct the header.",
    },
    policy: |policy| ScenarioPolicy {
        max_attempts: 5,
        ..policy
    },
    routes: |_| {
        fails_first(CONFUSED.template(), FaultLabel("confused"), |call| {
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
        let mut expectations = vec![
            Expectation::ending(ending, says),
            Expectation::waited_as_asked(&[]),
        ];
        if requests > 1 {
            expectations.push(Expectation::counter(
                client::telemetry::RETRIES.name,
                requests - 1,
                "each retry waited for the backoff",
            ));
        }
        expectations.push(Expectation::requests(requests));
        expectations
    },
    ..PLAIN
};
