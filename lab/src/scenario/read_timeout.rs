//! Silence is bounded: a service that says nothing is given up on, and asked
//! again.

use std::time::Duration;

use client::Endpoint;

use super::{Network, PLAIN, Scenario, expect_items};
use crate::{fault_proxy::Fault, player::Task, policy::Policy};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "read-timeout",
    title: "a connection that is accepted and never answered",
    request: "GET /items",
    listing: true,
    question: "Nothing comes back, not even an error. What ends the wait?",
    hint: "TCP alone would wait for hours.",
    lesson: "A request without a timeout waits as long as the other side likes. This one has two, \
             one to connect and one for silence while reading, and a GET that meets either may be \
             sent again.",
    unsolved: "An answer that drips a byte at a time: every byte ends the silence. Only a deadline \
               for the whole call ends that.",
    next: "scenario deadline",
    network: Network::Faults(&[Fault::Stall]),
    policy: |policy| Policy {
        read_timeout: Duration::from_millis(400),
        ..policy
    },
    task: Task::List(Endpoint::ITEMS),
    expect: |policy| expect_items(policy, "read_timeout"),
    unseen: |_| 1,
    ..PLAIN
};
