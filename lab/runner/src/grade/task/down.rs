//! The service does not come back.

use evidence::grade::{Goal, TaskWords};

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::responses::unavailable;

/// Played several times: with two retries in each, there are enough of them to say
/// whether they came after a pause.
const DOWN: Case = Case {
    name: "503 for ever",
    responder: |_| Box::new(Down),
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "down",
        path: "/value",
        text: "GET the URL. The service stays away for longer than you may wait: print an error, \
               {\"error\": …}, or end with an exit code other than 0.",
        goal: r#"{"error": "…"}"#,
        hint: "Nobody can tell from here whether the next attempt would succeed, so somebody has to \
               say beforehand how many there are. The last failure is what your caller needs.",
        scenario: "flaky-gives-up",
        ..PLAIN.words
    },
    rules: &["finite-attempts", "backoff-waits"],
    cases: &[DOWN, DOWN, DOWN, DOWN],
    ..PLAIN
};

struct Down;

impl Responder for Down {
    fn respond(&mut self, _: &Received) -> Reply {
        unavailable().into()
    }

    fn goal(&self) -> Goal {
        Goal::Error
    }
}
