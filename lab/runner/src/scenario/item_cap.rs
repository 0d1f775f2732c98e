//! A cap on items is kept to exactly, and never in silence.

use client::teaching::endpoint;

use super::{ITEM_LIMIT, PAGE_LIMIT, PLAIN, Scenario, endless_items, shown};
use crate::clients::{NAIVE, Task};
use evidence::{Condition, Ending, Overrides, Policy, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "item-cap",
        title: "more items than the caller wants",
        request: "GET /endless-items",
        question: Question::number(
            "Pages hold two items, and there is always another page. How many items does the \
                 caller get?",
            "items",
            shown::ITEMS,
        ),
        hint: "When the cap is reached, another item may be in hand already.",
        lessons: &[
            Sentence::always(
                "A cap on items hands over exactly as many as it allows, one at a time; if there are \
                 more, an error follows, and no further request is made to find out.",
            ),
            PAGE_LIMIT,
            ITEM_LIMIT,
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Stopped)],
                "The naive client has no cap: the lab stopped it.",
            ),
        ],
        unsolved: "Choosing the cap. It bounds memory and time; it does not know what is enough.",
    },
    listing: true,
    variation: Overrides {
        max_items: Some(4),
        ..Overrides::NONE
    },
    policy: |policy| Policy {
        max_items: 3,
        ..policy
    },
    task: Task::List(endpoint::ENDLESS_ITEMS),
    expect: endless_items::SCENARIO.expect,
    ..PLAIN
};
