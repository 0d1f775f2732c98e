//! An idempotency key alone does not permit a retry of a POST.

use super::prelude::*;
use host::FaultLabel;

/// An endpoint that says nothing about repetitions.
const TRANSFERS: Endpoint = Endpoint::new("transfers", "/transfers");

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Writes,
    words: ScenarioWords {
        name: "post-without-permission",
        title: "a POST with a key gets a 503",
        request: "POST /transfers",
        question: answers::requests(
            "A transfer is sent by POST with an Idempotency-Key, and the response is a 503. How \
                 many requests will the service see?",
        ),
        hint: "Which side must understand the key?",
        why: "A key protects only where the service promises to recognise it. A client can also \
                 send the header to a service that ignores it, so the header alone does not permit \
                 a retry. The developer gives permission for one endpoint, after reading its \
                 contract.",
        reliable: "The reliable client did not retry, and its error says why.",
        naive: "The naive client sent it again, under a new key, and both requests may have taken \
                 effect.",
        unsolved: "Whether the transfer took effect before the 503. The caller has to look that \
                 up.",
    },
    routes: |_| {
        for_posts(fails_first(
            TRANSFERS.template(),
            FaultLabel("unavailable"),
            |call| (call == 0).then(unavailable),
        ))
    },
    task: Task::Post(TRANSFERS),
    expect: |_| {
        vec![
            Expectation::ending(Ending::HttpError, "the failure reached the caller"),
            Expectation::fact("status", 503_u64, "its status is 503"),
            Expectation::gave_up(StopReason::NotEligible, "the client says why it stopped"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
