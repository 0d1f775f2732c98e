//! No service listens, and the number of attempts is still finite.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Network,
    words: ScenarioWords {
        name: "connection-refused",
        title: "no service listens on the port",
        request: "GET /items",
        question: Question::number(
            "No service listens on the port. How many attempts are made?",
            "attempts",
            answers::ATTEMPTS,
        ),
        hint: "The failure comes within a millisecond, so only the waits take time. Each refused \
               connection counts as an attempt, though no request reaches the wire.",
        why: "A refused connection often means that the service restarts, so another attempt \
                 after a wait makes sense. Each refusal is immediate, so a loop without waits \
                 would connect thousands of times a second. Waits and a fixed number of attempts \
                 prevent that.",
        reliable: NO_ATTEMPT_LEFT,
        naive: "The naive client tried ten times without a wait.",
        unsolved: "A wrong address. It fails in the same way, with an error that says connect; a \
                 person has to check.",
    },
    network: Network::ConnectionRefused,
    task: Task::List(endpoint::ITEMS),
    expect: |_| {
        vec![
            Expectation::ending(Ending::TransportError, "the failure reached the caller"),
            Expectation::fact(
                "problem",
                "connect",
                "the error says that the connection failed",
            ),
            Expectation::requests(0),
        ]
    },
    unseen: |policy| policy.most_attempts().into(),
    ..PLAIN
};
