//! A media type is a promise, and parsing is how it is held to it.

use super::{Scenario, as_it_is};
use crate::{
    outcome::{Ending, Outcome},
    verdict::Expectation,
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "bad-json",
    title: "says JSON, and the body is none",
    request: "GET /bad-json",
    listing: false,
    question: "The status is 200. Is this a success, and is it worth a retry?",
    lesson: "A status of 200 says that the request was served, not that the body can be used. A \
             complete answer of the wrong kind is the service's mistake: asking again brings the \
             same, so it is an error of its own class and never retried.",
    next: "scenario text-json",
    faults: &[],
    policy: as_it_is,
    act: |client| {
        Box::pin(async move { Outcome::of(client.bad_json().await, |_| Outcome::ok("ok")) })
    },
    expect: |_| {
        vec![
            Expectation::ending(
                Ending::ResponseError,
                "it is an error of the representation",
            ),
            Expectation::fact(
                "problem",
                "invalid_json",
                "the body is named as the culprit",
            ),
            Expectation::requests(1),
        ]
    },
};
