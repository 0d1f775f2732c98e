//! A read timeout ends a silence, and the request is sent again.

use host::fault_injection::ResponseFault;

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Network,
    words: ScenarioWords {
        name: "read-timeout",
        title: "a connection that is accepted and gets no response",
        request: "GET /items",
        question: Question::choices(
            "A connection is accepted, and no response follows. What does the caller get?",
            &[
                Choice::new("the records, from another attempt", answers::SUCCESS),
                Choice::new("an error", answers::ERROR),
                Choice::new("nothing: it must be stopped", answers::STOPPED),
            ],
        ),
        hint: "TCP alone waits for hours.",
        why: "A request without a timeout waits for as long as the service is silent. Two \
                 timeouts bound it: one for connecting, and one for silence while reading. A GET \
                 that hits either may be sent again.",
        reliable: "The reliable client ended the silence with its read timeout and sent the GET \
                 again.",
        naive: "The naive client has no timeout and would have waited for ever: the lab stopped \
                 it.",
        unsolved: "A response that sends one byte at a time. Each byte restarts the read timeout, \
                   so only a deadline for the whole call bounds it.",
    },
    network: Network::Faults(&[ResponseFault::Silence]),
    policy: |policy| ScenarioPolicy {
        read_timeout: Duration::from_millis(400),
        ..policy
    },
    task: Task::List(endpoint::ITEMS),
    expect: |policy| {
        let silence = FailureKind::ReadTimeout;
        let again = "each silence was ended by the read timeout, and the GET sent again";
        let again = Expectation::retried_after(silence.as_str(), again);
        let mut expectations = expect_items(policy, silence, again);
        if policy.max_attempts > 1 {
            // The timer is short, so that nobody has to wait for it. In real time, the next
            // attempts may meet it too on a machine under load.
            let read = expectations.pop();
            let read = read.map(|read| {
                read.if_exercised(|evidence| !evidence.ended_by(FailureKind::ReadTimeout.as_str()))
            });
            expectations.extend(read);
        }
        expectations
    },
    ..PLAIN
};
