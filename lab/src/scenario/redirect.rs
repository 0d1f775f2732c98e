//! A redirect is an answer, not an order.

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "redirect",
    title: "the service points somewhere else",
    request: "GET /redirect",
    question: "How many requests will the service see?",
    hint: "Nobody has promised where Location points.",
    lesson: "A client that follows by itself sends its headers wherever it is pointed, and may turn \
             a POST into a GET on the way. This one hands the redirection over as a value, and the \
             caller decides.",
    unsolved: "Following safely. Whoever decides to follow has to check the host and drop credentials.",
    next: "scenario not-found",
    task: Task::Redirect,
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "a redirection is no error"),
            Expectation::fact("status", 302_u64, "its status is 302"),
            Expectation::fact("has_location", true, "its location is kept"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
