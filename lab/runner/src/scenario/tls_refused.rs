//! A refused handshake is not a bad connection.

use client::teaching::endpoint;

use super::{Network, PLAIN, Scenario, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, Question, ScenarioWords, Sentence, StopReason};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "tls-refused",
        title: "the TLS handshake is refused",
        request: "GET /items",
        question: Question::number(
            "The TLS handshake is refused. How many attempts are made?",
            "attempts",
            shown::ATTEMPTS,
        ),
        hint: "What would have to change before the next handshake?",
        lessons: &[
            Sentence::always(
                "A handshake fails over certificates, names or versions, and none of them changes in \
                 a second. Libraries file it under connection errors, which are retried.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::GaveUp(StopReason::Tls)],
                "The reliable client looked through the chain of causes and did not retry.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::TransportError)],
                "The naive client tried ten times.",
            ),
        ],
        unsolved: "A server that is halfway through changing its certificate. A person should see that.",
    },
    listing: true,
    network: Network::RefusedTls,
    task: Task::List(endpoint::ITEMS),
    expect: |_| {
        vec![
            Expectation::ending(Ending::TransportError, "the failure reached the caller"),
            Expectation::fact("problem", "tls", "it is named as a failure of TLS"),
            Expectation::fact("gave_up", StopReason::Tls, "one attempt was all"),
            Expectation::requests(0),
        ]
    },
    unseen: |_| 1,
    ..PLAIN
};
