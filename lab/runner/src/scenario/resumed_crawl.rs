//! A crawl that is killed goes on where it was, and loses nothing.

use client::teaching::endpoint;

use super::{PAGE_LIMIT, PLAIN, Scenario, Share, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, Policy, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "resumed-crawl",
        title: "a crawl is killed before page 2 is noted, and resumed",
        request: "GET /items",
        question: Question::number(
            "Three records on two pages. A crawl is killed after processing page 2, before noting \
                 so, and goes on. How many records are processed, duplicates included?",
            "records",
            shown::DELIVERED,
        ),
        hint: "Either a page may be lost, or a page may come twice. Which is worse?",
        lessons: &[
            Sentence::always(
                "A checkpoint belongs after the processing of its page, so that a crash costs a page \
                 that comes twice and never one that is missing. What is done with the records must \
                 bear that: writing under the record's own id does.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(3)],
                "The reliable client went on from its checkpoint, and only the last page came twice.",
            ),
            PAGE_LIMIT,
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(4)],
                "The naive client had its position in a variable, began anew, and read both pages \
                 twice.",
            ),
        ],
        unsolved: "Exactly once. Only saving records and checkpoint in one transaction gives that.",
    },
    load: Share::healthy(4),
    listing: true,
    // The crawl is two listings, and each needs its two pages.
    policy: |policy| Policy {
        max_items: u32::MAX,
        ..policy
    },
    task: Task::ResumeCrawl(endpoint::ITEMS),
    expect: |policy| {
        if policy.max_pages < 2 {
            return vec![
                Expectation::ending(Ending::ContractError, "the page limit ended it"),
                Expectation::fact("problem", "page_limit", "the page limit is named"),
            ];
        }
        vec![
            Expectation::fact("distinct", 3_u64, "every record was delivered"),
            Expectation::fact("delivered", 4_u64, "the page that was not noted came twice"),
            Expectation::requests(3),
        ]
    },
    ..PLAIN
};
