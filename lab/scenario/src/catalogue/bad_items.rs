//! A body can be valid JSON and still not be a page.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Listings,
    words: ScenarioWords {
        name: "bad-items",
        title: "a page with an item that is not an object",
        request: "GET /bad-items",
        question: Question::number(
            "One item of a page is not an object. How many items does the caller get?",
            "items",
            answers::ITEMS,
        ),
        hint: "What would the next program make of a listing with a missing record?",
        why: "A page that breaks its contract in one place cannot be trusted in the others. \
                 Skipping the broken item would lose a record silently.",
        reliable: "The reliable client refused the whole page. Its error gives the number of the \
                 item, but never its content.",
        naive: "The naive client took everything in the array for data.",
        unsolved: "Reading the good records. That takes the service's owner, or a contract that \
                 allows partial pages.",
    },
    task: Task::List(endpoint::BAD_ITEMS),
    expect: |_| {
        vec![
            Expectation::rejection(Ending::ResponseError, "the response is invalid"),
            Expectation::fact("problem", "item_not_an_object", "the error names the item"),
            Expectation::fact("items", 0_u64, "no item of the page was used"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
