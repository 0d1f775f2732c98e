//! A cursor of the wrong type makes the whole page invalid.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Listings,
    words: ScenarioWords {
        name: "bad-cursor",
        title: "a page whose next_cursor is a number",
        request: "GET /bad-cursor",
        question: Question::choices(
            "The next_cursor of a page is the number 2. What does the caller get?",
            &[
                Choice::new("one page, reported as the whole listing", |run| {
                    answers::SUCCESS(run) && answers::ONCE(run)
                }),
                Choice::new("two pages", |run| {
                    answers::SUCCESS(run) && answers::AGAIN(run)
                }),
                Choice::new("an error", answers::ERROR),
            ],
        ),
        hint: "null and 2 are of different types.",
        why: "Only null means the last page, and only a non-empty string means a next one.",
        reliable: "The reliable client refused the whole page, and its error names the cursor.",
        naive: "The naive client treated the number as null, stopped after one page, and reported \
                 it as the whole listing.",
        unsolved: "A cursor of the right type that leads to the wrong page. Only the service can \
                 know that.",
    },
    task: Task::List(endpoint::BAD_CURSOR),
    expect: |_| {
        vec![
            Expectation::rejection(Ending::ResponseError, "the response is invalid"),
            Expectation::fact("problem", "wrong_type", "the error names the cursor"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
