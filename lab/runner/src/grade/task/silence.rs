//! The service accepts a request and never responds.

use std::time::Duration;

use evidence::grade::TaskWords;
use host::ConnectionFault;

use super::{Case, PLAIN, Task};
use crate::grade::{broken_once::BrokenOnce, responses::withheld};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "silence",
        path: "/value",
        text: "GET the URL and print the object in the response, or print an error, {\"error\": \
               …}, or exit with a code other than 0. The service may accept the request and never \
               respond. You have twenty seconds.",
        goal: r#"the unchanged body of the 200, {"value": …}, or {"error": "…"}"#,
        hint: "TCP alone never ends a silence. How long may a response take before you stop \
               waiting, and what is your library's default?",
        scenario: "read-timeout",
        // Many libraries wait for ten seconds.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    rules: &["read-timeout"],
    cases: &[Case {
        name: "silence, then 200",
        responder: |draw| {
            let breaks = |_: &_| withheld(ConnectionFault::Silence, "silence");
            Box::new(BrokenOnce::new(draw, breaks))
        },
    }],
    ..PLAIN
};
