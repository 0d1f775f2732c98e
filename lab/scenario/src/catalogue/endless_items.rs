//! A client must end a listing that never ends.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Listings,
    words: ScenarioWords {
        name: "endless-items",
        title: "always another page, never the same cursor",
        request: "GET /endless-items",
        question: Question::choices(
            "No cursor ever repeats, and none is null. What ends the listing?",
            &[
                Choice::new("a limit of pages", |run| {
                    answers::problem(run, "page_limit")
                }),
                Choice::new("a limit of items", |run| {
                    answers::problem(run, "item_limit")
                }),
                Choice::new("a repeated cursor", |run| {
                    answers::problem(run, "cursor_repeated")
                }),
                Choice::new("nothing: it must be stopped", answers::STOPPED),
            ],
        ),
        hint: "Remembering cursors does not help here. What can be counted?",
        why: "A history of cursors cannot end a listing in which no cursor repeats; only a \
                 limit can.",
        reliable: "The reliable client stopped at its limit of pages, with an error. A listing \
                 that was cut short silently would look complete.",
        naive: "The naive client has no limit: the lab stopped it.",
        unsolved: "How large a listing may be. A limit that is too low cuts off real data, with an \
                 error.",
    },
    variation: Some(Variation {
        options: "--max-pages 3",
        shows: "a lower limit ends the listing sooner",
    }),
    policy: |policy| ScenarioPolicy {
        max_pages: 5,
        ..policy
    },
    task: Task::List(endpoint::ENDLESS_ITEMS),
    expect: |policy| {
        // The limit that is reached first; at a tie the last allowed item was read before
        // the next page was requested.
        let by_items = policy.max_items.div_ceil(PAGE);
        let (limit, requests) = if by_items <= policy.max_pages {
            ("item_limit", by_items)
        } else {
            ("page_limit", policy.max_pages)
        };
        vec![
            Expectation::rejection(Ending::ContractError, "a listing cut short is an error"),
            Expectation::fact(
                "problem",
                limit,
                "the error names the limit that was reached",
            ),
            Expectation::requests(requests.into()),
        ]
    },
    ..PLAIN
};
