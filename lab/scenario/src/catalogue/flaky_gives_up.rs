//! The number of attempts is finite: a failure that outlasts them reaches the caller.

use client::telemetry::GIVE_UPS;

use super::flaky;
use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Retrying,
    words: ScenarioWords {
        name: "flaky-gives-up",
        title: "the service fails twice, and attempts are limited",
        request: "GET /flaky",
        question: Question::choices(
            "Two requests get a 503, and the third would succeed. If a call may make only two \
                 attempts, how does it end?",
            &[
                Choice::new("with a success", answers::SUCCESS),
                Choice::new("with the 503", answers::ERROR),
            ],
        ),
        hint: "A client cannot know which request will succeed.",
        why: "A client cannot know whether one more attempt would help, so the number of \
                 attempts is fixed beforehand. The error says how many attempts were made and why \
                 they ended.",
        reliable: NO_ATTEMPT_LEFT,
        naive: "The third request of the naive client succeeded, and it came back at once each \
                 time. A service that stays down would have received ten requests.",
        unsolved: "What the caller does next. It can show old data, queue the work, or report the \
                   failure. Another retry loop around this one would be worse.",
    },
    load: Share::fault(2),
    variation: Some(Variation {
        options: "--max-attempts 3",
        shows: "one more attempt is enough",
    }),
    policy: |policy| ScenarioPolicy {
        max_attempts: 2,
        ..policy
    },
    task: Task::Flaky,
    expect: |policy| {
        let mut expectations = (flaky::SCENARIO.expect)(policy);
        let gave_up = u64::from(policy.max_attempts < flaky::FIRST_SUCCESS);
        expectations.push(Expectation::counter(
            GIVE_UPS.name,
            gave_up,
            "a call that gave up was counted once",
        ));
        expectations
    },
    ..PLAIN
};
