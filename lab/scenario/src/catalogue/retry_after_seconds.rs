//! A Retry-After within the caller's limit is waited for in full.

use host::FaultLabel;
use http::HeaderValue;

use super::prelude::*;

const BUSY: Endpoint = Endpoint::new("busy", "/busy");

/// The Retry-After of the service.
const ASKED: Duration = Duration::from_secs(2);

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::RetryAfter,
    words: ScenarioWords {
        name: "retry-after-seconds",
        title: "a 503 with a Retry-After of 2",
        request: "GET /busy",
        question: Question::choices(
            "A 503 says Retry-After: 2. When does the next request come?",
            &[
                Choice::new("sooner than in two seconds", answers::EARLY),
                Choice::new("after two seconds", answers::IN_TIME),
                Choice::new("never: the call ends", answers::ONCE),
            ],
        ),
        hint: "Which side knows better when the service can be called again?",
        why: "A Retry-After that the caller can accept replaces the backoff. Wait for it in \
                 full: the service asked for no request before then.",
        reliable: "The reliable client waited in full, and the service's record shows that no \
                 request came early.",
        naive: HEADER_NOT_READ,
        unsolved: "Many clients that all wait exactly two seconds come back together. The service \
                   can send each a different wait, or each client can add a random spread to its \
                   own.",
    },
    load: Share::fault(2),
    variation: Some(Variation {
        options: "--max-retry-after 1",
        shows: "the wait is longer than the caller allows",
    }),
    routes: |_| {
        fails_first(BUSY.template(), FaultLabel("busy"), |call| {
            (call == 0).then(|| unavailable_until(HeaderValue::from_static("2")))
        })
    },
    task: Task::Get(BUSY),
    expect: |policy| expect_recovery(policy, ASKED, Expectation::waited_as_asked(&[ASKED])),
    ..PLAIN
};
