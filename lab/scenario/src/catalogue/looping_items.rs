//! A client finds a loop in a listing by remembering every cursor.

use super::prelude::*;

/// The page on which a cursor comes for the second time.
const REPEATED_ON: u32 = 3;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Listings,
    words: ScenarioWords {
        name: "looping-items",
        title: "the cursors repeat in a loop",
        request: "GET /looping-items",
        question: answers::requests(
            "The cursors are A, B, A, B, and so on. How many requests will the service see?",
        ),
        hint: "No two cursors in a row are equal.",
        why: "A client that compares each cursor with the previous one never notices the loop \
                 A, B, A. It must remember every cursor.",
        reliable: "The reliable client keeps a fingerprint of fixed size of each cursor. It stopped \
                 when one came for the second time, and returned an error, because the listing is \
                 not complete.",
        naive: "The naive client remembers no cursors and would have read the loop for ever: the \
                 lab stopped it.",
        unsolved: "Removing the duplicate records. A client that stops has still read some records \
                 twice.",
    },
    task: Task::List(endpoint::LOOPING_ITEMS),
    expect: |policy| {
        // The limit that is reached first ends the listing; at a tie the last allowed item
        // was read before the next page was requested.
        let by_items = policy.max_items.div_ceil(PAGE);
        let (problem, requests) = if by_items < REPEATED_ON && by_items <= policy.max_pages {
            ("item_limit", by_items)
        } else if policy.max_pages < REPEATED_ON {
            ("page_limit", policy.max_pages)
        } else {
            ("cursor_repeated", REPEATED_ON)
        };
        vec![
            Expectation::rejection(Ending::ContractError, "the listing broke the contract"),
            Expectation::fact("problem", problem, "the error names the reason"),
            Expectation::requests(requests.into()),
        ]
    },
    ..PLAIN
};
