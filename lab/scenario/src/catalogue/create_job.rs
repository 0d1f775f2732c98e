//! A job is created once, and the response is a 201.

use super::prelude::*;
use crate::verdict::responded;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Writes,
    words: ScenarioWords {
        name: "create-job",
        title: "a job is created with an idempotency key",
        request: "POST /jobs",
        question: Question::choices(
            "A job is created. Which status does the response have?",
            &[
                Choice::new("200", |run| responded(&run.wire, 200) > 0),
                Choice::new("201", |run| responded(&run.wire, 201) > 0),
                Choice::new("204", |run| responded(&run.wire, 204) > 0),
            ],
        ),
        hint: "Which program knows first that a change is intended?",
        why: "The caller makes up an Idempotency-Key before the first attempt, one for each \
                 intended change. The service binds the key to the body, and from then on the same \
                 request means the same job.",
        reliable: "The reliable client got the key from its caller, and one job was created.",
        naive: "The naive client makes up a key inside each attempt. It needed only one attempt, \
                 so one job was created and the mistake did not show.",
        unsolved: "Finding the key after a crash. The caller has to store it before the first \
                 attempt.",
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
