//! The service does not come back.

use std::time::Duration;

use judge::rules::{CaseKind, backoff_jitter, backoff_waits, finite_attempts};

use super::{Case, PLAIN, Task};
use crate::{Goal, TaskWords, fixed_goal::fixed_goal, responses::unavailable};

/// Run several times: with two retries in each case, there are enough gaps to judge
/// whether the client waits.
const DOWN: Case = Case::new("503 for ever", |_| {
    fixed_goal(Goal::Error, |_| unavailable())
});

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "down",
        path: "/value",
        text: "GET the URL. The service stays down for longer than you may wait: print an error, \
               {\"error\": …}, or exit with a code other than 0.",
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
    cases: &[DOWN, DOWN, DOWN, DOWN],
    ..PLAIN
};
