//! The same key and body mean the same however often they come.

use super::{NEW_KEYS, PLAIN, Scenario, Share, shown};
use crate::clients::{RELIABLE, Task};
use evidence::{Condition, Ending, Expectation, Question, ScenarioWords, Sentence};

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "replay",
        title: "the same job is asked for twice",
        request: "POST /jobs",
        question: Question::number(
            "One job is wanted, and asked for twice. How many jobs are there in the end?",
            "jobs",
            shown::JOBS,
        ),
        hint: "The service remembers the key together with the body.",
        lessons: &[
            Sentence::always(
                "A program that restarts between sending and noting the result cannot know whether \
                 its job exists. With the key it need not know: it sends the same request again and \
                 gets the same job.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::IdempotencyKeys(1), Condition::JobsCreated(1)],
                "The reliable client sent one key twice, and one job was created.",
            ),
            NEW_KEYS,
        ],
        unsolved: "A service that forgets its keys. How long they are remembered is part of its contract.",
    },
    load: Share::healthy(4),
    task: Task::CreateJobs(&[1, 1]),
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "both requests succeeded"),
            Expectation::fact("same_job", true, "both brought the same job"),
            Expectation::created(1, "the service created one job"),
            Expectation::requests(2),
        ]
    },
    ..PLAIN
};
