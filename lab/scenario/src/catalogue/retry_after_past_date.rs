//! A date in the past is valid, and means that no wait is needed.

use host::FaultLabel;
use http::HeaderValue;

use super::prelude::*;

const RETURNED: Endpoint = Endpoint::new("returned", "/returned");

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::RetryAfter,
    words: ScenarioWords {
        name: "retry-after-past-date",
        title: "the date in the Retry-After has passed",
        request: "GET /returned",
        question: Question::choices(
            "The Retry-After of a 503 is a date an hour ago. When does the next request come?",
            &[
                Choice::new("at once", answers::AT_ONCE),
                Choice::new("after a backoff", answers::AFTER_A_WAIT),
                Choice::new("never: the call ends", answers::ONCE),
            ],
        ),
        hint: "Is the value invalid, or does it have a meaning?",
        why: "A date in the past is valid: it says that the service may be called now. A client \
                 falls back to its own backoff only for an invalid value.",
        reliable: "So the reliable client sent its retry without a wait.",
        naive: "The naive client sent its retry without a wait, but not because of the date: it \
                 never waits and did not read the header.",
        unsolved: "A service that always sends an old date. The number of attempts and the retry \
                   budget bound what that costs.",
    },
    load: Share::fault(2),
    routes: |clock| {
        fails_first(RETURNED.template(), FaultLabel("returned"), move |call| {
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
