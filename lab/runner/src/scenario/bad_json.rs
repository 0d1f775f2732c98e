//! A media type is a promise, and parsing is how it is held to it.

use client::teaching::endpoint;

use super::{PLAIN, Scenario, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "bad-json",
        title: "says JSON, and the body is none",
        request: "GET /bad-json",
        question: shown::requests(
            "A 200 comes, is called JSON, and does not parse. How many requests will the service \
                 see?",
        ),
        hint: "Think of what a status promises, and of what it does not.",
        lessons: &[
            Sentence::always(
                "A status of 200 says that the request was served, not that the body can be used. A \
                 complete response of the wrong kind is the service's mistake: asking again brings \
                 the same.",
            ),
            Sentence::of(
                RELIABLE,
                &[
                    Condition::Ended(Ending::ResponseError),
                    Condition::Requests(1),
                ],
                "So the reliable client did not retry, and its error says that the body is no JSON.",
            ),
            Sentence::of(
                NAIVE,
                &[
                    Condition::Ended(Ending::ResponseError),
                    Condition::Requests(10),
                ],
                "The naive client asked ten times and got the same ten times.",
            ),
        ],
        unsolved: "A body that parses and is wrong in its meaning. Only a schema or a business check finds that.",
    },
    task: Task::Get(endpoint::BAD_JSON),
    expect: |_| {
        vec![
            Expectation::ending(
                Ending::ResponseError,
                "it is an error of the representation",
            ),
            Expectation::fact(
                "problem",
                "invalid_json",
                "the body is named as the culprit",
            ),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
