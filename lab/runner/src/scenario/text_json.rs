//! The media type comes before the body.

use client::teaching::endpoint;

use super::{PLAIN, Scenario, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Choice, Condition, Ending, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "text-json",
        title: "a perfectly good page, declared as text",
        request: "GET /text-json",
        question: Question::choices(
            "A 200 comes with a good page in it, and is called text/plain. What does the caller \
                 get?",
            &[
                Choice::new("the records", shown::SUCCESS),
                Choice::new("an error", shown::ERROR),
            ],
        ),
        hint: "The header was written by the same server as the body.",
        lessons: &[
            Sentence::always(
                "What parses by luck today is an error page tomorrow: text that happens to be JSON \
                 was not promised to be.",
            ),
            Sentence::of(
                RELIABLE,
                &[
                    Condition::Ended(Ending::ResponseError),
                    Condition::Requests(1),
                ],
                "The reliable client checked the media type first, refused the response, and did not \
                 retry.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(2)],
                "The naive client took the text for data, and followed the cursor in it.",
            ),
        ],
        unsolved: "A server that mislabels everything. Then the contract has to change, on purpose and in one place.",
    },
    listing: true,
    task: Task::List(endpoint::TEXT_JSON),
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
