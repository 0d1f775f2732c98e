//! The service asks for a wait that is longer than a call may take.

use evidence::grade::{Goal, TaskWords};
use serde_json::{Map, json};

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::responses::unavailable_for;

/// In seconds.
const WAIT: u64 = 120;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "maintenance",
        path: "/value",
        text: "GET the URL. The service is down and says for how many seconds; you have ten. Print \
               an error that gives those seconds.",
        goal: r#"{"error": "…", "retry_after": 120}"#,
        hint: "An earlier retry is against what the service asked, and a wait of two minutes \
               blocks your caller. The caller may be able to try again later, if your error says \
               when.",
        scenario: "retry-later",
        ..PLAIN.words
    },
    rules: &["retry-after-over-budget"],
    cases: &[Case {
        name: "503 with Retry-After: 120",
        responder: |_| Box::new(Maintenance),
    }],
    ..PLAIN
};

struct Maintenance;

impl Responder for Maintenance {
    fn respond(&mut self, _: &Received) -> Reply {
        unavailable_for(&WAIT.to_string()).into()
    }

    fn goal(&self) -> Goal {
        let members = [("retry_after".to_owned(), json!(WAIT))];
        Goal::ErrorWith(Map::from_iter(members))
    }
}
