//! A listing without an end is ended by the client.

use client::Endpoint;

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, policy::Policy, verdict::Expectation};

/// The records on each of the service's pages.
const PAGE: u32 = 2;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "endless-items",
    title: "always another page, never the same cursor",
    request: "GET /endless-items",
    listing: true,
    question: "No cursor ever repeats. What, if anything, ends this crawl?",
    hint: "No memory helps here. Something has to be counted.",
    lesson: "A history of cursors cannot find a listing that never repeats one; only a limit can. \
             Reaching it is an error and never a silent end, since a listing cut short looks just \
             like a complete one.",
    unsolved: "How large a listing may rightly be. A limit set too low cuts off real data, and says so.",
    next: "scenario endless-items --max-pages 3",
    policy: |policy| Policy {
        max_pages: 5,
        ..policy
    },
    task: Task::List(Endpoint::ENDLESS_ITEMS),
    expect: |policy| {
        // Whichever limit comes first; at a tie the last item allowed was read
        // before the next page was asked for.
        let by_items = policy.max_items.div_ceil(PAGE);
        let (limit, requests) = if by_items <= policy.max_pages {
            ("item_limit", by_items)
        } else {
            ("page_limit", policy.max_pages)
        };
        vec![
            Expectation::ending(Ending::ContractError, "a listing cut short is an error"),
            Expectation::fact("problem", limit, "the limit that was reached is named"),
            Expectation::requests(requests.into()),
        ]
    },
    ..PLAIN
};
