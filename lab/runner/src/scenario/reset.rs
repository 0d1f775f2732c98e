//! A body that breaks off is no body.

use client::{FailureKind, teaching::endpoint, telemetry::RETRIES};

use super::{
    ITEM_LIMIT, NO_ATTEMPT_LEFT, Network, PAGE_LIMIT, PLAIN, Scenario, Share, expect_items, shown,
};
use crate::{
    clients::{NAIVE, RELIABLE, Task},
    fault_proxy::Fault,
};
use evidence::{Choice, Condition, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "reset",
        title: "the connection breaks in the middle of the body",
        request: "GET /items",
        question: Question::choices(
            "Status 200, all headers, half the body, then the connection breaks. What does the \
                 caller get?",
            &[
                Choice::new("half of the records", |run| {
                    shown::SUCCESS(run) && shown::ONCE(run)
                }),
                Choice::new("the records, from another attempt", |run| {
                    shown::SUCCESS(run) && shown::AGAIN(run)
                }),
                Choice::new("an error", shown::ERROR),
            ],
        ),
        hint: "Most retry layers hand the response over as soon as the headers are there.",
        lessons: &[
            Sentence::always(
                "The status arrives before the body, so a client that decides at the headers has \
                 already said yes when the body breaks off.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::RequestsFrom(2)],
                "The reliable client reads the body to its end inside the attempt, so what broke off \
                 was a failure like any other, and it sent the GET again.",
            ),
            NO_ATTEMPT_LEFT,
            PAGE_LIMIT,
            ITEM_LIMIT,
            Sentence::of(
                NAIVE,
                &[Condition::RequestsFrom(2)],
                "The naive client reads the body before it looks at the result, so it sent the GET \
                 again, at once.",
            ),
        ],
        unsolved: "A body cut short without an error, as HTTP/1.0 allowed. Where no length is \
                   announced, only the format of the body can tell.",
    },
    load: Share::fault(2),
    listing: true,
    network: Network::Faults(&[Fault::ResetMidBody]),
    task: Task::List(endpoint::ITEMS),
    expect: |policy| {
        let again = "the broken attempt was made again, once";
        let again = Expectation::counter(RETRIES.name, 1, again);
        expect_items(policy, FailureKind::ConnectionLost, again)
    },
    ..PLAIN
};
