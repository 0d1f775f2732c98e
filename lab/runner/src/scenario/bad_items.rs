//! Valid JSON is not yet a page.

use client::teaching::endpoint;

use super::{PLAIN, Scenario, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "bad-items",
        title: "a page with an item that is no object",
        request: "GET /bad-items",
        question: Question::number(
            "One item of a page is no object. How many items does the caller get?",
            "items",
            shown::ITEMS,
        ),
        hint: "What would a listing with a hole look like to the program that reads it next?",
        lessons: &[
            Sentence::always(
                "A page that breaks its contract in one place cannot be trusted in the others: \
                 skipping the broken item would lose a record without a word.",
            ),
            Sentence::of(
                RELIABLE,
                &[
                    Condition::Ended(Ending::ResponseError),
                    Condition::Requests(1),
                ],
                "The reliable client refused the whole page. Its error names the item by its number, \
                 never by its content.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(1)],
                "The naive client took for data whatever stood in the array.",
            ),
        ],
        unsolved: "Getting at the good records. That takes the service's owner, or a contract with partial pages.",
    },
    listing: true,
    task: Task::List(endpoint::BAD_ITEMS),
    expect: |_| {
        vec![
            Expectation::ending(
                Ending::ResponseError,
                "it is an error of the representation",
            ),
            Expectation::fact(
                "problem",
                "item_not_an_object",
                "the item is named as the culprit",
            ),
            Expectation::fact("items", 0_u64, "nothing of the page was used"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
