//! A creation answers 201, once.

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "create-job",
    title: "a job is created under a key",
    request: "POST /jobs",
    question: "Which status does a creation answer with, and who chooses the key?",
    hint: "Who is the first to know that a change is intended?",
    lesson: "The caller makes up the idempotency key before the first attempt, one for each \
             intended change. The service binds it to the body, and from then on the same request \
             means the same job.",
    unsolved: "Finding the key again after a crash. The caller has to store it before the first attempt.",
    next: "scenario replay",
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
