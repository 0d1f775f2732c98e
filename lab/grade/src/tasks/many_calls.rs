//! Many calls in one process: nothing may be carried over from a call to the next one.

use std::time::Duration;

use axum::response::Response;
use host::{ConnectionFault, FaultLabel};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{cut_ok, ok, refused, unavailable_for, withheld},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "many-calls",
        path: "/value",
        request: "GET, a hundred times",
        text: "In one process, GET the URL a hundred times, one call after another, and add up \
               the \"value\" of the responses. Some calls fail once: with a 503 that may be \
               retried at once, or with a connection that breaks. Print the sum.",
        goal: r#"{"sum": n}"#,
        hint: "Each call counts its own attempts. A budget of retries must fill up again with \
               calls that succeed, and a broken connection must be replaced by a new one.",
        scenario: "retry-budget",
        // A client that waits for a second in place of none has a dozen waits.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    cases: &[Case::new(
        "a hundred calls, of which twelve fail once",
        |draw| Box::new(ManyCalls::new(draw)),
    )],
    ..PLAIN
};

const CALLS: usize = 100;

/// One of so many calls fails: budgets that earn a tenth of a retry with each call, and begin
/// with a few, allow that for any number of calls.
const EACH: usize = 8;

/// How the calls fail, in an order that is drawn. Failures without a request to wait are few,
/// since clients differ in how long they wait then.
const FAILURES: [Failure; 12] = {
    let mut failures = [Failure::Unavailable; 12];
    failures[0] = Failure::Close;
    failures[1] = Failure::Close;
    failures[2] = Failure::CutBody;
    failures
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// A 503 with Retry-After: 0.
    Unavailable,
    /// The connection is closed without a response, whether it is fresh or not: there is no
    /// harm if a transport sends this GET again.
    Close,
    CutBody,
}

struct ManyCalls {
    values: [u64; CALLS],
    /// The calls that are still to fail, by their numbers.
    failures: Vec<(usize, Failure)>,
    done: usize,
}

impl ManyCalls {
    fn new(draw: &mut Draw) -> Self {
        let mut kinds = FAILURES;
        draw.shuffle(&mut kinds);
        let mut place = |block: usize| EACH * block + draw.number(0..=EACH as u64 - 1) as usize;
        let failures = kinds.into_iter().enumerate();
        let failures = failures.map(|(block, failure)| (place(block), failure));
        Self {
            failures: failures.collect(),
            values: [(); CALLS].map(|()| draw.number(1..=9_999)),
            done: 0,
        }
    }

    fn response(&mut self) -> Response {
        let Some(value) = self.values.get(self.done) else {
            let detail = "all calls of the task are made";
            return refused(StatusCode::BAD_REQUEST, "too_many_calls", detail);
        };
        let value = json!({"value": value});
        let is_next = |(call, _): &(usize, Failure)| *call == self.done;
        let failure = self.failures.iter().position(is_next);
        match failure.map(|place| self.failures.swap_remove(place).1) {
            Some(Failure::Unavailable) => unavailable_for("0"),
            Some(Failure::Close) => withheld(ConnectionFault::Close, FaultLabel::LOST_RESPONSE),
            Some(Failure::CutBody) => cut_ok(&Value::to_string(&value)),
            None => {
                self.done += 1;
                ok(&value)
            }
        }
    }
}

impl Responder for ManyCalls {
    fn respond(&mut self, _: &Received) -> Reply {
        let call = self.done as u64;
        Reply {
            call: Some(call),
            ..self.response().into()
        }
    }

    fn goal(&self) -> Goal {
        let sum: u64 = self.values.iter().sum();
        Goal::result_of((self.done == CALLS).then(|| json!({"sum": sum})))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_a_hundred_calls_succeeds_within_two_attempts() {
        for case in 0..20 {
            let mut calls = ManyCalls::new(&mut Draw::new(7, "many-calls", case));
            let request = Received::of("/value");

            let mut responses = Vec::new();
            while calls.goal() == Goal::result_of([]) {
                responses.push(calls.respond(&request));
            }

            assert_eq!(responses.len(), CALLS + FAILURES.len());
            let is_failure =
                |reply: &Reply| reply.response.extensions().get::<FaultLabel>().is_some();
            assert!(!responses.windows(2).any(|pair| pair.iter().all(is_failure)));
            let one_more = calls.respond(&request).response;
            assert_eq!(one_more.status(), StatusCode::BAD_REQUEST);
        }
    }

    /// It begins with five retries, and each call earns a tenth of one.
    #[test]
    fn a_budget_that_fills_up_again_bears_the_failures_and_one_of_ten_retries_does_not() {
        for case in 0..200 {
            let calls = ManyCalls::new(&mut Draw::new(7, "many-calls", case));
            let mut tenths = 50_usize;
            for call in 0..CALLS {
                tenths = (tenths + 1).min(50);
                if calls.failures.iter().any(|(failing, _)| *failing == call) {
                    tenths = tenths.checked_sub(10).expect("a retry is left");
                }
            }
            assert!(calls.failures.len() > 10);
        }
    }
}
