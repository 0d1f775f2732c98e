//! The media type comes before the body.

use client::Endpoint;

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "text-json",
    title: "a perfectly good page, declared as text",
    request: "GET /text-json",
    question: "The body would parse. Should the client use it?",
    hint: "The header was written by the same server as the body.",
    lesson: "What parses by luck today is an error page tomorrow: text that happens to be JSON was \
             not promised to be. The client checks the media type first and does not look at the \
             body.",
    unsolved: "A server that mislabels everything. Then the contract has to change, on purpose and in one place.",
    next: "scenario no-content",
    task: Task::Get(Endpoint::TEXT_JSON),
    expect: |_| {
        vec![
            Expectation::ending(
                Ending::ResponseError,
                "it is an error of the representation",
            ),
            Expectation::fact(
                "problem",
                "not_json",
                "the media type is named as the culprit",
            ),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
