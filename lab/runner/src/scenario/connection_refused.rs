//! Nobody listens: the attempts are finite all the same.

use client::teaching::endpoint;

use super::{BUDGET_SPENT, NO_ATTEMPT_LEFT, Network, PLAIN, Scenario, shown};
use crate::clients::{NAIVE, Task};
use evidence::{Condition, Ending, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "connection-refused",
        title: "nobody listens on the port",
        request: "GET /items",
        question: Question::number(
            "Nobody listens on the port. How many attempts are made?",
            "attempts",
            shown::ATTEMPTS,
        ),
        hint: "The failure comes within a millisecond, so only the waits take time. Each refused \
               connection counts as an attempt, though no request reaches the wire.",
        lessons: &[
            Sentence::always(
                "A refused connection often means a restart, so it is worth another attempt after a \
                 wait. Since the refusal comes at once, a loop without waits would knock thousands of \
                 times a second; waits and a fixed number of attempts make it polite and finite.",
            ),
            NO_ATTEMPT_LEFT,
            BUDGET_SPENT,
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::TransportError)],
                "The naive client tried ten times without a wait.",
            ),
        ],
        unsolved: "A wrong address looks the same. The error says connect, and someone has to look.",
    },
    listing: true,
    network: Network::ConnectionRefused,
    task: Task::List(endpoint::ITEMS),
    expect: |_| {
        vec![
            Expectation::ending(Ending::TransportError, "the failure reached the caller"),
            Expectation::fact("problem", "connect", "it is named as a failure to connect"),
            Expectation::requests(0),
        ]
    },
    unseen: |policy| policy.most_attempts().into(),
    ..PLAIN
};
