//! A creation responds with 201, once.

use super::{PLAIN, Scenario, Share, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Choice, Condition, Ending, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "create-job",
        title: "a job is created under a key",
        request: "POST /jobs",
        question: Question::choices(
            "A job is created. Which status says so?",
            &[
                Choice::new("200", |run| shown::responded(run, 200) > 0),
                Choice::new("201", |run| shown::responded(run, 201) > 0),
                Choice::new("204", |run| shown::responded(run, 204) > 0),
            ],
        ),
        hint: "Who is the first to know that a change is intended?",
        lessons: &[
            Sentence::always(
                "The idempotency key is made up before the first attempt, one for each intended \
                 change. The service binds it to the body, and from then on the same request means \
                 the same job.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::IdempotencyKeys(1), Condition::JobsCreated(1)],
                "The reliable client got the key from its caller, and one job was created.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::IdempotencyKeys(1), Condition::JobsCreated(1)],
                "The naive client makes up a key inside each attempt: with one attempt, one job was \
                 created, and nobody noticed.",
            ),
        ],
        unsolved: "Finding the key again after a crash. The caller has to store it before the first attempt.",
    },
    load: Share::healthy(14),
    task: Task::CreateJobs(&[1]),
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "the client has a job"),
            Expectation::created(1, "the service created one job"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
