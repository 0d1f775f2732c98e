//! An error response names the error in a form that a program can read.

use super::prelude::*;

/// A path that the service does not have.
const NOWHERE: Endpoint = Endpoint::new("nowhere", "/nowhere");

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Responses,
    words: ScenarioWords {
        name: "not-found",
        title: "no such path",
        request: "GET /nowhere",
        question: Question::choices(
            "A 404 has a problem object in its body. What does the error hold besides the status?",
            &[
                Choice::new("nothing", |run| {
                    answers::ERROR(run) && run.outcome.fact("code").is_none()
                }),
                Choice::new("the error code and the request id", |run| {
                    answers::ERROR(run) && run.outcome.fact("code").is_some()
                }),
            ],
        ),
        hint: "The content type is application/problem+json.",
        why: "A program looks at the status class first, then at the problem object. The error \
                 code tells errors apart, and the request id lets the service's owner find the \
                 request.",
        reliable: "The reliable client did not retry, and its error holds both.",
        naive: "The naive client asked ten times, and its error holds neither.",
        unsolved: "A 404 that means \"not yet\". Only the API's contract can tell it from \
                 \"never\".",
    },
    load: Share::fault(2),
    task: Task::Get(NOWHERE),
    expect: |_| {
        vec![
            Expectation::ending(Ending::HttpError, "the outcome is an HTTP error"),
            Expectation::fact("status", 404_u64, "its status is 404"),
            Expectation::fact("code", "not_found", "its error code was kept"),
            Expectation::fact("request_id_kept", true, "its request id was kept"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
