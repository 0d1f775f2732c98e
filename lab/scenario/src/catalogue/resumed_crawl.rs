//! A crawl that is killed resumes at its checkpoint and skips no page.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Listings,
    words: ScenarioWords {
        name: "resumed-crawl",
        title: "a crawl that is killed at page 2, and resumed",
        request: "GET /items",
        question: Question::number(
            "Three records on two pages. A crawl is killed after it processed page 2 and before it \
                 saved its checkpoint, then it resumes. How many records are processed, duplicates \
                 included?",
            "records",
            answers::DELIVERED,
        ),
        hint: "Either a page may be lost, or a page may be read twice. Which is worse?",
        why: "Save the checkpoint after the page is processed. A crash then repeats a page and \
                 never skips one. Processing must tolerate duplicates, for example by writing each \
                 record under its own id.",
        reliable: "The reliable client resumed from its checkpoint, and only the last page came \
                 twice.",
        naive: "The naive client kept its position in a variable, started again at page 1, and \
                 read both pages twice.",
        unsolved: "Processing each record exactly once. For that, records and checkpoint must be \
                 saved in one transaction.",
    },
    load: Share::healthy(4),
    // The crawl is two listings, and each needs its two pages.
    policy: |policy| ScenarioPolicy {
        max_items: u32::MAX,
        ..policy
    },
    task: Task::ResumeCrawl(endpoint::ITEMS),
    expect: |policy| {
        if policy.max_pages < 2 {
            return vec![
                Expectation::ending(Ending::ContractError, "the page limit ended it"),
                Expectation::fact("problem", "page_limit", "the error names the page limit"),
            ];
        }
        vec![
            Expectation::fact("distinct", 3_u64, "every record was delivered"),
            Expectation::fact(
                "delivered",
                4_u64,
                "the page whose checkpoint was not saved was delivered twice",
            ),
            Expectation::requests(3),
        ]
    },
    ..PLAIN
};
