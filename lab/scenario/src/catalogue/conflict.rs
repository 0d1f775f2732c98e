//! A key that was used with another body is refused.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Writes,
    words: ScenarioWords {
        name: "conflict",
        title: "a key is used again for another body",
        request: "POST /jobs",
        question: Question::choices(
            "A client asks for a job, then for a different job with the same key. What happens to \
                 the second request?",
            &[
                Choice::new("it creates a second job", |run| run.wire.jobs_created() > 1),
                Choice::new("it returns the first job", |run| {
                    answers::SUCCESS(run) && run.wire.jobs_created() == 1
                }),
                Choice::new("it is refused", answers::ERROR),
            ],
        ),
        hint: "What would each of the three responses claim?",
        why: "Returning the first job would claim work that was not done. Creating a second one \
                 would make the key worthless. A conflict is the honest response, and a retry does \
                 not help, because the mistake is the caller's.",
        reliable: "The reliable client did not retry, and one job was created.",
        naive: NEW_KEYS,
        unsolved: "Keys that are not unique. When two changes share a key by accident, one of them \
                 is refused with this error.",
    },
    task: Task::CreateJobs(&[1, 2]),
    expect: |_| {
        vec![
            Expectation::ending(Ending::HttpError, "the second request is an HTTP error"),
            Expectation::fact("status", 409_u64, "its status is 409"),
            Expectation::fact("code", "idempotency_conflict", "its error code says why"),
            Expectation::created(1, "the service created one job"),
            Expectation::requests(2),
        ]
    },
    ..PLAIN
};
