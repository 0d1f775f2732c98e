//! A cursor of the wrong type ends nothing and continues nothing.

use client::teaching::endpoint;

use super::{PLAIN, Scenario, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Choice, Condition, Ending, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "bad-cursor",
        title: "a page whose next_cursor is a number",
        request: "GET /bad-cursor",
        question: Question::choices(
            "A page comes whose next_cursor is the number 2. What does the caller get?",
            &[
                Choice::new("one page, as the whole listing", |run| {
                    shown::SUCCESS(run) && shown::ONCE(run)
                }),
                Choice::new("two pages", |run| shown::SUCCESS(run) && shown::AGAIN(run)),
                Choice::new("an error", shown::ERROR),
            ],
        ),
        hint: "null and 2 are of different types.",
        lessons: &[
            Sentence::always(
                "Only null means the last page, and only a non-empty string means a next one.",
            ),
            Sentence::of(
                RELIABLE,
                &[
                    Condition::Ended(Ending::ResponseError),
                    Condition::Requests(1),
                ],
                "The reliable client refused the whole page, and its error names the cursor.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(1)],
                "The naive client took the number for null, stopped after one page, and reported it \
                 as the whole listing.",
            ),
        ],
        unsolved: "A cursor of the right type that leads to the wrong place. Only the service can know that.",
    },
    listing: true,
    task: Task::List(endpoint::BAD_CURSOR),
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
