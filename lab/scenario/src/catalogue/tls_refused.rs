//! A failed TLS handshake is not retried.

use client::telemetry::ATTEMPTS;

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Network,
    words: ScenarioWords {
        name: "tls-refused",
        title: "the TLS handshake is refused",
        request: "GET /items",
        question: Question::number(
            "The TLS handshake is refused. How many attempts are made?",
            "attempts",
            answers::ATTEMPTS,
        ),
        hint: "What would have to change before the next handshake?",
        why: "A handshake fails because of certificates, names or versions, and none of them \
                 changes within a second. Libraries report it as a connection error, which clients \
                 usually retry.",
        reliable: "The reliable client searched the chain of causes for a TLS error and did not \
                 retry.",
        naive: "The naive client tried ten times.",
        unsolved: "A server that is changing its certificate. A person should see the error.",
    },
    network: Network::RefusedTls,
    task: Task::List(endpoint::ITEMS),
    expect: |_| {
        vec![
            Expectation::ending(Ending::TransportError, "the failure reached the caller"),
            Expectation::fact("problem", "tls", "the error says that TLS failed"),
            Expectation::counter(ATTEMPTS.name, 1, "the client made one attempt"),
            Expectation::gave_up(StopReason::Tls, "the TLS failure ended the call"),
            Expectation::requests(0),
        ]
    },
    unseen: |_| 1,
    ..PLAIN
};
