//! A success may have no body, and then there is nothing to parse.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Responses,
    words: ScenarioWords {
        name: "no-content",
        title: "a response without a body",
        request: "GET /no-content",
        question: Question::choices(
            "The response is a 204 without a body. What does the caller get?",
            &[
                Choice::new("a success", answers::SUCCESS),
                Choice::new("an error", answers::ERROR),
            ],
        ),
        hint: "How long is the body of a 204?",
        why: "Every status from 200 to 299 is a success. A creation may return 201, and a 204 \
                 has no body at all.",
        reliable: "The reliable client took the 204 for a success and parsed nothing.",
        naive: "The naive client passed the empty body to a JSON parser, treated the success as \
                 an error, and asked ten times.",
        unsolved: "What exactly was done. An empty success says only that the request was served.",
    },
    load: Share::healthy(12),
    task: Task::NoContent,
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "an empty success is a success"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
