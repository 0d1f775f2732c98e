//! A listing that goes round in a circle is found out by its history.

use client::teaching::endpoint;

use super::{ITEM_LIMIT, PAGE_LIMIT, PLAIN, Scenario, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, ScenarioWords, Sentence};

/// The records on each of the service's pages.
const PAGE: u32 = 2;

/// The page on which a cursor comes for the second time.
const REPEATED_ON: u32 = 3;

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "looping-items",
        title: "the cursors go round in a circle",
        request: "GET /looping-items",
        question: shown::requests(
            "The cursors are A, B, A, B, and so on. How many requests will the service see?",
        ),
        hint: "No two cursors in a row are equal.",
        lessons: &[
            Sentence::always(
                "Comparing with the previous cursor alone never notices A, B, A: every cursor has to \
                 be remembered.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::Problem("cursor_repeated")],
                "The reliable client keeps each as a fingerprint of fixed size, and stopped when one \
                 came for the second time, with an error: what it read is not the whole.",
            ),
            PAGE_LIMIT,
            ITEM_LIMIT,
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Stopped)],
                "The naive client remembers none and would have gone round for ever: the lab stopped \
                 it.",
            ),
        ],
        unsolved: "Which of the records are duplicates. To stop is not to clean up.",
    },
    listing: true,
    task: Task::List(endpoint::LOOPING_ITEMS),
    expect: |policy| {
        // A limit that is reached first ends it first; at a tie the last item
        // allowed was read before the next page was asked for.
        let by_items = policy.max_items.div_ceil(PAGE);
        let (problem, requests) = if by_items < REPEATED_ON && by_items <= policy.max_pages {
            ("item_limit", by_items)
        } else if policy.max_pages < REPEATED_ON {
            ("page_limit", policy.max_pages)
        } else {
            ("cursor_repeated", REPEATED_ON)
        };
        vec![
            Expectation::ending(Ending::ContractError, "it is an error of the contract"),
            Expectation::fact("problem", problem, "what ended it is named"),
            Expectation::requests(requests.into()),
        ]
    },
    ..PLAIN
};
