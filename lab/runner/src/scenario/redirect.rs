//! A redirect is a response, not an order.

use super::{PLAIN, Scenario, Share, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "redirect",
        title: "the service points somewhere else",
        request: "GET /redirect",
        question: shown::requests(
            "A 302 comes, with a Location. How many requests will the service see?",
        ),
        hint: "Nobody has promised where Location points.",
        lessons: &[
            Sentence::always(
                "A client that follows by itself sends its headers wherever it is pointed, and may \
                 turn a POST into a GET on the way.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(1)],
                "The reliable client handed the redirection over as a value, and its caller decides.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(2)],
                "The naive client followed: the service saw a second request, which the caller never \
                 asked for.",
            ),
        ],
        unsolved: "Following safely. Whoever decides to follow has to check the host and drop credentials.",
    },
    load: Share::healthy(4),
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
