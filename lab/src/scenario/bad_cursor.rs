//! A cursor of the wrong type ends nothing and continues nothing.

use client::Endpoint;

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "bad-cursor",
    title: "a page whose next_cursor is a number",
    request: "GET /bad-cursor",
    listing: true,
    question: "next_cursor is the number 2. Is that a last page, or a next one?",
    hint: "null and 2 are of different types.",
    lesson: "Only null means the last page and only a non-empty string means a next one. A client \
             that takes everything else for null stops early and reports half a listing as the \
             whole.",
    unsolved: "A cursor of the right type that leads to the wrong place. Only the service can know that.",
    next: "scenario looping-items",
    task: Task::List(Endpoint::BAD_CURSOR),
    expect: |_| {
        vec![
            Expectation::ending(
                Ending::ResponseError,
                "it is an error of the representation",
            ),
            Expectation::fact(
                "problem",
                "wrong_type",
                "the cursor is named as the culprit",
            ),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
