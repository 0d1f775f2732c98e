//! Repeated requests with the same key and body create one job.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Writes,
    words: ScenarioWords {
        name: "replay",
        title: "the same job is asked for twice",
        request: "POST /jobs",
        question: Question::number(
            "A client wants one job and asks for it twice. How many jobs exist in the end?",
            "jobs",
            answers::JOBS,
        ),
        hint: "The service remembers the key together with the body.",
        why: "A program that restarts before it has saved the response cannot know whether its \
                 job exists. With the key, it sends the same request again and gets the same job.",
        reliable: "The reliable client sent one key twice, and one job was created.",
        naive: NEW_KEYS,
        unsolved: "A service that forgets its keys. Its contract must say how long it remembers \
                 them.",
    },
    load: Share::healthy(4),
    task: Task::CreateJobs(&[1, 1]),
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "both requests succeeded"),
            Expectation::fact("same_job", true, "both returned the same job"),
            Expectation::created(1, "the service created one job"),
            Expectation::requests(2),
        ]
    },
    ..PLAIN
};
