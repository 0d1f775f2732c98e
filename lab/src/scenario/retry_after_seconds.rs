//! A wait within the budget is waited for in full.

use std::time::Duration;

use client::Endpoint;
use http::HeaderValue;

use super::{
    PLAIN, Scenario, expect_recovery,
    responder::{fails_first, unavailable_until},
};
use crate::player::Task;

const BUSY: Endpoint = Endpoint::new("busy", "/busy");

/// What the service asks for.
const ASKED: Duration = Duration::from_secs(2);

pub(super) const SCENARIO: Scenario = Scenario {
    name: "retry-after-seconds",
    title: "the service asks for a wait of two seconds",
    request: "GET /busy",
    question: "The backoff would be shorter than two seconds. Which of the two is waited for?",
    hint: "Who knows better when the service can be called again?",
    lesson: "A Retry-After within the budget replaces the client's own backoff, and it is waited \
             for to the end: a call that comes early is what the server asked not to get. The \
             service's ledger shows that none came early.",
    unsolved: "Many clients that were all told two seconds and come back together. Only the \
               service can spread them.",
    next: "scenario retry-after-seconds --max-retry-after 1",
    routes: |_| {
        fails_first(BUSY.template(), "busy", |call| {
            (call == 0).then(|| unavailable_until(HeaderValue::from_static("2")))
        })
    },
    task: Task::Get(BUSY),
    expect: |policy| expect_recovery(policy, ASKED..=ASKED),
    ..PLAIN
};
