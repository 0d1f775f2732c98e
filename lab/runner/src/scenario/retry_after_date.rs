//! A Retry-After may be a date, and a date is kept to.

use std::time::Duration;

use client::Endpoint;
use http::HeaderValue;

use super::{
    HEADER_NOT_READ, NO_ATTEMPT_LEFT, OVER_BUDGET, PLAIN, Scenario, expect_recovery,
    responder::{fails_first, unavailable_until},
    shown,
};
use crate::clients::{RELIABLE, Task};
use evidence::{Choice, Condition, Expectation, Question, ScenarioWords, Sentence};

const MAINTENANCE: Endpoint = Endpoint::new("maintenance", "/maintenance");

/// How far ahead the date lies.
const AHEAD: Duration = Duration::from_secs(3);

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "retry-after-date",
        title: "the service names the time of its return",
        request: "GET /maintenance",
        question: Question::choices(
            "A 503 names a date three seconds ahead in its Retry-After. When does the next \
                 request come?",
            &[
                Choice::new("before that date", shown::EARLY),
                Choice::new("not before that date", shown::IN_TIME),
                Choice::new("never: the call ends", shown::ONCE),
            ],
        ),
        hint: "A date has no fractions of a second, and a client has a clock.",
        lessons: &[
            Sentence::always(
                "RFC 9110 allows seconds or a date, in three formats, and a client that reads only \
                 the seconds calls early whenever it meets the other.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::WaitedAsAsked],
                "The reliable client waited in full: for the date minus now, by the calendar. The \
                 pause itself was measured on a clock that nobody sets.",
            ),
            OVER_BUDGET,
            NO_ATTEMPT_LEFT,
            HEADER_NOT_READ,
        ],
        unsolved: "A client whose calendar is wrong waits wrongly. Seconds are the safer form, where \
                   the service can choose.",
    },
    routes: |clock| {
        fails_first(MAINTENANCE.template(), "maintenance", move |call| {
            let date = httpdate::fmt_http_date(clock.wall() + AHEAD);
            let date = HeaderValue::try_from(date).ok()?;
            (call == 0).then(|| unavailable_until(date))
        })
    },
    task: Task::Get(MAINTENANCE),
    expect: |policy| {
        if policy.max_retry_after < AHEAD {
            // A date is cut to whole seconds, and what is left of it shrinks
            // until the client reads it: it may fit after all.
            return vec![Expectation::within_budget(policy.max_retry_after)];
        }
        expect_recovery(policy, AHEAD, Expectation::waited_until_date(AHEAD))
    },
    ..PLAIN
};
