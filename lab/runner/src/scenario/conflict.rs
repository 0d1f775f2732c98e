//! A key that was used for something else is refused.

use super::{NEW_KEYS, PLAIN, Scenario, shown};
use crate::clients::{RELIABLE, Task};
use evidence::{Choice, Condition, Ending, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "conflict",
        title: "a key is used again for another body",
        request: "POST /jobs",
        question: Question::choices(
            "A job is asked for, and then another as if it were the same. What becomes of the \
                 second request?",
            &[
                Choice::new("it creates a second job", |run| run.wire.jobs_created() > 1),
                Choice::new("it brings the first job", |run| {
                    shown::SUCCESS(run) && run.wire.jobs_created() == 1
                }),
                Choice::new("it is refused", shown::ERROR),
            ],
        ),
        hint: "What would each of the three claim to have been done?",
        lessons: &[
            Sentence::always(
                "To return the first job would claim to have done what was not done; to create a \
                 second would make the key worthless. A conflict is the honest response, and no retry \
                 mends it: the mistake is the caller's.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::Responded(409), Condition::JobsCreated(1)],
                "The reliable client did not retry, and one job was created.",
            ),
            NEW_KEYS,
        ],
        unsolved: "Keys made up carelessly. Two changes that share one by accident lose one to this error.",
    },
    task: Task::CreateJobs(&[1, 2]),
    expect: |_| {
        vec![
            Expectation::ending(Ending::HttpError, "the second request is an HTTP error"),
            Expectation::fact("status", 409_u64, "its status is 409"),
            Expectation::fact("code", "idempotency_conflict", "its machine code says why"),
            Expectation::created(1, "the service created one job"),
            Expectation::requests(2),
        ]
    },
    ..PLAIN
};
