//! A media type is a promise, and parsing is how it is held to it.

use client::Endpoint;

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "bad-json",
    title: "says JSON, and the body is none",
    request: "GET /bad-json",
    question: "The status is 200. Is this a success, and is it worth a retry?",
    hint: "Think of what a status promises, and of what it does not.",
    lesson: "A status of 200 says that the request was served, not that the body can be used. A \
             complete answer of the wrong kind is the service's mistake: asking again brings the \
             same, so it is an error of its own class and never retried.",
    unsolved: "A body that parses and is wrong in its meaning. Only a schema or a business check finds that.",
    next: "scenario text-json",
    task: Task::Get(Endpoint::BAD_JSON),
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
