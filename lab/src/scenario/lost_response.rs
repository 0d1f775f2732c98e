//! The job exists, and the client does not know: only a key makes that safe.

use super::{Network, PLAIN, Scenario};
use crate::{fault_proxy::Fault, outcome::Ending, player::Task, verdict::Expectation};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "lost-response",
    title: "the job is created, its answer is lost",
    request: "POST /jobs",
    question: "The connection breaks before the answer. Send it again, or not?",
    hint: "The service has seen the request, and the client cannot know.",
    lesson: "From the client's side a lost answer and a lost request look the same. A POST must not \
             be repeated blindly; this one may be, because the service recognises the key, and \
             every attempt carries the same one.",
    unsolved: "A service without keys. There the caller must look whether the change took effect.",
    next: "scenario lost-response --max-attempts 1",
    network: Network::Faults(&[Fault::LoseResponse]),
    task: Task::CreateJobs(&[1]),
    expect: |policy| {
        let mut expectations = if policy.max_attempts < 2 {
            vec![
                Expectation::ending(Ending::TransportError, "the caller was told of the loss"),
                Expectation::requests(1),
            ]
        } else {
            vec![
                Expectation::ending(Ending::Ok, "the client has its job"),
                Expectation::requests(2),
            ]
        };
        expectations.push(Expectation::created(1, "the service created one not two"));
        expectations
    },
    ..PLAIN
};
