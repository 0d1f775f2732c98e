//! The service does not come back, whatever it responds with.

use judge::rules::{CaseKind, backoff_jitter, backoff_waits, finite_attempts};
use std::time::Duration;

use crate::{
    Goal, TaskWords,
    fixed_goal::fixed_goal,
    responses::{bad_gateway, too_many, too_many_for, unavailable},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "down",
        path: "/value",
        text: "GET the URL. The service fails for longer than you may wait, with a 503, a 502 or a \
               429, whether you retry or not: print an error, {\"error\": …}, or exit with a code \
               other than 0.",
        goal: r#"{"error": "…"}"#,
        hint: "A client cannot know whether the next attempt will succeed, so the number of \
               attempts must be fixed beforehand. Your caller needs the last failure.",
        scenario: "flaky-gives-up",
        // A finite schedule may last for 15 s.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    kind: CaseKind::FailsAlike,
    rules: &[
        &finite_attempts::RULE,
        &backoff_waits::RULE,
        &backoff_jitter::RULE,
    ],
    cases: &[
        Case::new("503 for ever", |_| {
            fixed_goal(Goal::Error, |_| unavailable())
        }),
        Case::new("502 for ever", |_| {
            fixed_goal(Goal::Error, |_| bad_gateway())
        }),
        // A client often counts attempts after a 5xx, and waits out a 429 without a limit.
        Case::new("429 for ever", |_| fixed_goal(Goal::Error, |_| too_many())),
        Case::new("429 with a Retry-After of 1 s, for ever", |_| {
            fixed_goal(Goal::Error, |_| too_many_for("1"))
        }),
    ],
    ..PLAIN
};
