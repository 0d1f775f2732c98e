//! A date in the past is valid, and asks for no wait.

use std::time::Duration;

use client::Endpoint;
use http::HeaderValue;

use super::{
    NO_ATTEMPT_LEFT, PLAIN, Scenario, Share, expect_recovery,
    responder::{fails_first, unavailable_until},
    shown,
};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Choice, Condition, Expectation, Question, ScenarioWords, Sentence};

const RETURNED: Endpoint = Endpoint::new("returned", "/returned");

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "retry-after-past-date",
        title: "the time of return has passed",
        request: "GET /returned",
        question: Question::choices(
            "A 503 names a date an hour ago in its Retry-After. When does the next request come?",
            &[
                Choice::new("at once", shown::AT_ONCE),
                Choice::new("after a wait of its own", shown::AFTER_A_WAIT),
                Choice::new("never: the call ends", shown::ONCE),
            ],
        ),
        hint: "Is the value unreadable, or does it say something?",
        lessons: &[
            Sentence::always(
                "A date in the past is not an error: it says that the service may be called now. Only \
                 a value that cannot be read falls back to a client's own backoff.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::RequestsFrom(2)],
                "So the reliable client sent its retry without a wait.",
            ),
            NO_ATTEMPT_LEFT,
            Sentence::of(
                NAIVE,
                &[Condition::RequestsFrom(2)],
                "The naive client sent its retry without a wait because it never waits: it did not \
                 read the header.",
            ),
        ],
        unsolved: "A service that always sends an old date. The number of attempts and the retry \
                   budget bound what that costs.",
    },
    load: Share::fault(2),
    routes: |clock| {
        fails_first(RETURNED.template(), "returned", move |call| {
            let date = httpdate::fmt_http_date(clock.wall() - Duration::from_secs(3600));
            let date = HeaderValue::try_from(date).ok()?;
            (call == 0).then(|| unavailable_until(date))
        })
    },
    task: Task::Get(RETURNED),
    expect: |policy| {
        let none = Duration::ZERO;
        expect_recovery(policy, none, Expectation::waited_as_asked(&[none]))
    },
    ..PLAIN
};
