//! The service says when to come back.

use axum::response::Response;
use evidence::grade::{Goal, TaskWords};
use serde_json::{Value, json};

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{ok, too_many_for, unavailable_for, unavailable_for_cut},
};

/// In seconds, and longer than a usual backoff.
const WAIT: &str = "2";

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "retry-after",
        path: "/value",
        text: "GET the URL and print the object in the response. The service fails once, with 503 \
               or 429, and says when to come back.",
        goal: r#"the unchanged body of the 200, {"value": …}"#,
        hint: "Retry-After: 2 asks for a wait of two seconds. The head of the response says so, \
               even if its body breaks off.",
        scenario: "retry-after-seconds",
        ..PLAIN.words
    },
    rules: &["retry-after-seconds", "retry-after-cut-body", "retry-503"],
    cases: &[
        Case {
            name: "503 with Retry-After: 2, then 200",
            responder: |draw| Box::new(RetryAfter::new(draw, || unavailable_for(WAIT))),
        },
        Case {
            name: "429 with Retry-After: 2, then 200",
            responder: |draw| Box::new(RetryAfter::new(draw, || too_many_for(WAIT))),
        },
        Case {
            name: "503 with Retry-After: 2 whose body breaks off, then 200",
            responder: |draw| Box::new(RetryAfter::new(draw, || unavailable_for_cut(WAIT))),
        },
    ],
    ..PLAIN
};

struct RetryAfter {
    failure: fn() -> Response,
    has_failed: bool,
    value: Value,
}

impl RetryAfter {
    fn new(draw: &mut Draw, failure: fn() -> Response) -> Self {
        Self {
            failure,
            has_failed: false,
            value: json!({"value": draw.word(6)}),
        }
    }
}

impl Responder for RetryAfter {
    fn respond(&mut self, _: &Received) -> Reply {
        let response = match std::mem::replace(&mut self.has_failed, true) {
            true => ok(&self.value),
            false => (self.failure)(),
        };
        response.into()
    }

    fn goal(&self) -> Goal {
        Goal::result(self.value.clone())
    }
}
