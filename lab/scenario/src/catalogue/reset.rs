//! A response whose body breaks off is a failed attempt.

use client::telemetry::RETRIES;
use host::fault_injection::ResponseFault;

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Network,
    words: ScenarioWords {
        name: "reset",
        title: "the connection breaks in the middle of the body",
        request: "GET /items",
        question: Question::choices(
            "A response has status 200, all headers and half the body, then the connection breaks. \
                 What does the caller get?",
            &[
                Choice::new("half of the records", |run| {
                    answers::SUCCESS(run) && answers::ONCE(run)
                }),
                Choice::new("the records, from another attempt", |run| {
                    answers::SUCCESS(run) && answers::AGAIN(run)
                }),
                Choice::new("an error", answers::ERROR),
            ],
        ),
        hint: "Most retry layers return the response as soon as they have the headers.",
        why: "The status arrives before the body. A client that decides on the headers alone \
                 has already reported success when the body breaks off.",
        reliable: "The reliable client reads the whole body inside the attempt. A body that breaks \
                 off is a failure like any other, so it sent the GET again.",
        naive: "The naive client reads the body before it looks at the result, so it sent the GET \
                 again, at once.",
        unsolved: "A body that is cut short without an error, as HTTP/1.0 allowed. Without an \
                   announced length, only the format of the body shows that.",
    },
    load: Share::fault(2),
    network: Network::Faults(&[ResponseFault::CutBody]),
    task: Task::List(endpoint::ITEMS),
    expect: |policy| {
        let again = "the broken attempt was made again, once";
        let again = Expectation::counter(RETRIES.name, 1, again);
        expect_items(policy, FailureKind::ConnectionLost, again)
    },
    ..PLAIN
};
