//! A cap on items is exact, and reaching it is an error.

use super::endless_items;
use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Listings,
    words: ScenarioWords {
        name: "item-cap",
        title: "more items than the caller wants",
        request: "GET /endless-items",
        question: Question::number(
            "Pages hold two items, there is always another page, and the caller accepts three \
                 items by default. How many items does the caller get?",
            "items",
            answers::ITEMS,
        ),
        hint: "When the cap is reached, one more item may already have been received.",
        why: "A cap on items yields exactly as many items as it allows. If there are more, an \
                 error follows, without another request to find out.",
        reliable: "The reliable client stopped at its limit of items, with an error. A listing \
                 that was cut short silently would look complete.",
        naive: "The naive client has no cap: the lab stopped it.",
        unsolved: "Choosing the cap. It bounds memory and time, but it cannot know how many items \
                 are enough.",
    },
    variation: Some(Variation {
        options: "--max-items 4",
        shows: "the cap falls at the end of a page, and is an error all the same",
    }),
    policy: |policy| ScenarioPolicy {
        max_items: 3,
        ..policy
    },
    task: Task::List(endpoint::ENDLESS_ITEMS),
    expect: endless_items::SCENARIO.expect,
    ..PLAIN
};
