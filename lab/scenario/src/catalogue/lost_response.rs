//! The job exists and the client does not know it: only a key makes a retry safe.

use host::fault_injection::ResponseFault;

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Writes,
    words: ScenarioWords {
        name: "lost-response",
        title: "the job is created, and its response is lost",
        request: "POST /jobs",
        question: Question::number(
            "A job is created, and the connection breaks before the response. How many jobs exist \
                 in the end?",
            "jobs",
            answers::JOBS,
        ),
        hint: "The service has received the request, but a client cannot know that.",
        why: "From a client's side a lost response and a lost request look the same, so a POST \
                 must not be repeated blindly.",
        reliable: "This request may be repeated. The service recognises the key, and the reliable \
                 client sent one key twice, so one job was created.",
        naive: NEW_KEYS,
        unsolved: "A service without idempotency keys. There the caller must check whether the \
                 change took effect.",
    },
    variation: Some(Variation {
        options: "--max-attempts 1",
        shows: "the job may exist, and the caller cannot know",
    }),
    network: Network::Faults(&[ResponseFault::LostResponse]),
    task: Task::CreateJobs(&[1]),
    expect: |policy| {
        let mut expectations = if policy.max_attempts < 2 {
            vec![
                Expectation::ending(
                    Ending::TransportError,
                    "the caller got an error, and does not know of its job",
                ),
                Expectation::requests(1),
            ]
        } else {
            vec![
                Expectation::ending(Ending::Ok, "the client has its job"),
                Expectation::requests(2),
            ]
        };
        expectations.push(Expectation::created(
            1,
            "the service created one job, not two",
        ));
        expectations
    },
    ..PLAIN
};
