//! Failures of the service other than 503.

use evidence::grade::{Goal, TaskWords};
use http::StatusCode;
use serde_json::{Value, json};

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{ok, refused},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "server-errors",
        path: "/value",
        text: "GET the URL and print the object in the response, or print an error, {\"error\": \
               …}, or exit with a code other than 0. The service or a gateway before it fails \
               once, each time with another status.",
        goal: r#"the unchanged body of the 200, {"value": …}, or {"error": "…"}"#,
        hint: "A gateway sends 502 and 504 when the service behind it did not respond. A 500 may \
               pass or may not. A GET changes nothing, so any of them may be sent again.",
        scenario: "flaky",
        ..PLAIN.words
    },
    cases: &[
        failing::<500>("500, then 200"),
        failing::<502>("502, then 200"),
        failing::<504>("504, then 200"),
    ],
    is_shuffled: true,
    ..PLAIN
};

const fn failing<const STATUS: u16>(name: &'static str) -> Case {
    Case {
        name,
        responder: |draw| Box::new(ServerError::new(draw, STATUS)),
    }
}

struct ServerError {
    status: u16,
    has_failed: bool,
    value: Value,
}

impl ServerError {
    fn new(draw: &mut Draw, status: u16) -> Self {
        Self {
            status,
            has_failed: false,
            value: json!({"value": draw.word(6)}),
        }
    }
}

impl Responder for ServerError {
    fn respond(&mut self, _: &Received) -> Reply {
        #[expect(clippy::expect_used, reason = "the cases name their statuses")]
        let status = StatusCode::from_u16(self.status).expect("a status");
        let response = match std::mem::replace(&mut self.has_failed, true) {
            true => ok(&self.value),
            false => refused(status, "server_error", "the service fails on purpose"),
        };
        response.into()
    }

    fn goal(&self) -> Goal {
        let members = self.value.as_object().cloned();
        Goal::ResultOrError(members.into_iter().collect())
    }
}
