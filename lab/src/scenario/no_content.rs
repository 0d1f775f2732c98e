//! A success may have no body, and then none is parsed.

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "no-content",
    title: "a success without a body",
    request: "GET /no-content",
    question: "What does a client that parses every 2xx make of a 204?",
    hint: "How long is the body of a 204?",
    lesson: "Success is a class of statuses, not the number 200: creation answers 201, and 204 has \
             no body at all. A client that hands the empty body to a JSON parser turns a success \
             into an error.",
    unsolved: "What exactly was done. An empty success says only that the request was accepted.",
    next: "scenario redirect",
    task: Task::NoContent,
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "an empty success is a success"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
