//! An error answer says which error it is, in a form a program can read.

use client::Endpoint;

use super::{Scenario, as_it_is};
use crate::{
    outcome::{Ending, Outcome},
    verdict::Expectation,
};

/// A path that the service does not have.
const NOWHERE: Endpoint = Endpoint::new("nowhere", "/nowhere");

pub(super) const SCENARIO: Scenario = Scenario {
    name: "not-found",
    title: "no such path",
    request: "GET /nowhere",
    listing: false,
    question: "What can a client keep of an error answer, besides its status?",
    lesson: "The status class is the first thing to branch on; the problem object's machine code \
             and request id are the rest. The code lets a program tell errors apart, the request \
             id lets the service's owner find this one.",
    next: "scenario bad-items",
    faults: &[],
    policy: as_it_is,
    act: |client| {
        Box::pin(async move { Outcome::of(client.get(NOWHERE).await, |_| Outcome::ok("ok")) })
    },
    expect: |_| {
        vec![
            Expectation::ending(Ending::HttpError, "it is an HTTP error"),
            Expectation::fact("status", 404_u64, "its status is 404"),
            Expectation::fact("code", "not_found", "its machine code was kept"),
            Expectation::fact("request_id_kept", true, "its request id was kept"),
            Expectation::requests(1),
        ]
    },
};
