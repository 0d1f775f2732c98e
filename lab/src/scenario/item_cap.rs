//! A cap on items is kept to exactly, and never in silence.

use client::Endpoint;

use super::{PLAIN, Scenario, endless_items};
use crate::{player::Task, policy::Policy};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "item-cap",
    title: "more items than the caller wants",
    request: "GET /endless-items",
    listing: true,
    question: "Three items are allowed, and pages hold two. How many are read, and then?",
    hint: "The fourth item is in hand already when the third is taken.",
    lesson: "Exactly as many items as allowed are handed over, one at a time; then comes an error \
             if there are more, and no further request is made to find out. A list that was cut in \
             silence looks complete.",
    unsolved: "Choosing the cap. It bounds memory and time; it does not know what is enough.",
    next: "scenario item-cap --max-items 4",
    policy: |policy| Policy {
        max_items: 3,
        ..policy
    },
    task: Task::List(Endpoint::ENDLESS_ITEMS),
    expect: endless_items::SCENARIO.expect,
    ..PLAIN
};
