//! A listing is read to its end, not to the end of its first page.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Listings,
    words: ScenarioWords {
        name: "items",
        title: "three records, two to a page",
        request: "GET /items",
        question: answers::requests(
            "Three records are listed, two of them on the first page. How many requests will the \
                 service see?",
        ),
        hint: "The first page's next_cursor is not null.",
        why: "A page that looks complete may not be the last one: only a null next_cursor ends \
                 a listing. A cursor is the service's own text. Send it back unchanged, and do not \
                 interpret it.",
        reliable: "The reliable client read on until the cursor was null.",
        naive: "The naive client read on until the cursor was null. Without faults it works \
                 correctly.",
        unsolved: "Records that change while the listing is read. One may appear twice, another \
                 not at all.",
    },
    load: Share::healthy(24),
    variation: Some(Variation {
        options: "--max-items 2",
        shows: "the listing is cut short, and that is an error",
    }),
    task: Task::List(endpoint::ITEMS),
    expect: |policy| {
        if policy.max_items < 3 {
            return vec![
                Expectation::ending(Ending::ContractError, "a listing cut short is an error"),
                Expectation::fact("problem", "item_limit", "the error names the item limit"),
                Expectation::fact(
                    "items",
                    u64::from(policy.max_items),
                    "exactly as many items as allowed were read",
                ),
                Expectation::requests(1),
            ];
        }
        if policy.max_pages < 2 {
            return vec![
                Expectation::ending(Ending::ContractError, "a listing cut short is an error"),
                Expectation::fact("problem", "page_limit", "the error names the page limit"),
                Expectation::requests(1),
            ];
        }
        vec![
            Expectation::fact("items", 3_u64, "all three records were read"),
            Expectation::requests(2),
        ]
    },
    ..PLAIN
};
