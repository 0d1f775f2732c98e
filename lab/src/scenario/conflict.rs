//! A key that was used for something else is refused.

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "conflict",
    title: "a key is used again for another body",
    request: "POST /jobs",
    question: "Same key, different body: create a second return the first, or refuse?",
    hint: "What would each of the three claim to have been done?",
    lesson: "Returning the first job would claim to have done what was not done; creating a second \
             would make the key worthless. A conflict is the honest answer, and the client does not \
             retry it: the mistake is its own.",
    unsolved: "Keys made up carelessly. Two changes that share one by accident lose one to this error.",
    next: "scenario lost-response",
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
