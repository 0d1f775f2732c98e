//! Attempts are finite: a failure that outlasts them reaches the caller.

use client::telemetry::GIVE_UPS;

use super::{NO_ATTEMPT_LEFT, PLAIN, Scenario, Share, flaky, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{
    Choice, Condition, Ending, Expectation, Overrides, Policy, Question, ScenarioWords, Sentence,
};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "flaky-gives-up",
        title: "the service fails twice, and attempts are finite",
        request: "GET /flaky",
        question: Question::choices(
            "Two calls get a 503, the third would succeed, and attempts are few. How does the \
                 call end?",
            &[
                Choice::new("with a success", shown::SUCCESS),
                Choice::new("with the 503", shown::ERROR),
            ],
        ),
        hint: "Nobody tells a client which call will succeed.",
        lessons: &[
            Sentence::always(
                "A client cannot know whether one more attempt would help, so their number is fixed \
                 beforehand. An error that says how often it was tried, and why that was all, is \
                 worth more than another attempt.",
            ),
            NO_ATTEMPT_LEFT,
            Sentence::of(
                RELIABLE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(3)],
                "This time the number was large enough: the third request of the reliable client \
                 succeeded.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(3)],
                "The third request of the naive client succeeded, and it came back at once each time; \
                 a service that stays down would have had ten.",
            ),
        ],
        unsolved: "What the caller does next. Showing old data, a queue and an honest message are all \
                   better than another loop around this one.",
    },
    load: Share::fault(2),
    variation: Overrides {
        max_attempts: Some(3),
        ..Overrides::NONE
    },
    policy: |policy| Policy {
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
            "the give-up, if there was one, was counted once",
        ));
        expectations
    },
    ..PLAIN
};
