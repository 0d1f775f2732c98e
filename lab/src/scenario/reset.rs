//! A body that breaks off is no body.

use client::Endpoint;

use super::{Network, PLAIN, Scenario, expect_items};
use crate::{fault_proxy::Fault, player::Task};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "reset",
    title: "the connection breaks in the middle of the body",
    request: "GET /items",
    listing: true,
    question: "Status 200, all headers, half the body. Is this a success, and who notices?",
    hint: "Most retry layers hand the answer over as soon as the headers are there.",
    lesson: "The status arrives before the body, so a client that decides at the headers has already \
             said yes when the body breaks off. Here the body is read to its end inside the \
             attempt, and what breaks off is a failure like any other: it may be retried.",
    unsolved: "A body cut short without an error, as HTTP/1.0 allowed. Where no length is \
               announced, only the format of the body can tell.",
    next: "scenario lost-response",
    network: Network::Faults(&[Fault::ResetMidBody]),
    task: Task::List(Endpoint::ITEMS),
    expect: |policy| expect_items(policy, "connection_lost"),
    ..PLAIN
};
