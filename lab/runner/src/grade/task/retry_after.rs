//! The service says when to come back.

use evidence::grade::{Goal, TaskWords};

use super::{Case, PLAIN, Task};
use crate::grade::{
    fixed_goal::failures_first,
    responses::{too_many_for, unavailable_for, unavailable_for_cut},
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
        Case::new("503 with Retry-After: 2, then 200", |draw| {
            failures_first(draw, Goal::result, vec![|_: &_| unavailable_for(WAIT)])
        }),
        Case::new("429 with Retry-After: 2, then 200", |draw| {
            failures_first(draw, Goal::result, vec![|_: &_| too_many_for(WAIT)])
        }),
        Case::new(
            "503 with Retry-After: 2 whose body breaks off, then 200",
            |draw| failures_first(draw, Goal::result, vec![|_: &_| unavailable_for_cut(WAIT)]),
        ),
    ],
    ..PLAIN
};
