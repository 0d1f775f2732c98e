//! A connection that breaks before the response or in the middle of it.

use host::{ConnectionFault, FaultLabel};

use super::{Case, PLAIN, Task};
use crate::{
    Goal, TaskWords,
    fixed_goal::breaks_once,
    responses::{cut_ok, withheld},
};
pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "broken-off",
        path: "/value",
        text: "GET the URL and print the object in the response, or print an error, {\"error\": \
               …}, or exit with a code other than 0. The connection breaks once, before the \
               response or in the middle of it.",
        goal: r#"the unchanged body of the 200, {"value": …}, or {"error": "…"}"#,
        hint: "The status 200 comes before the body, and half a body is not a success: compare its \
               length, or let your library do it. A GET changes nothing, so it may be sent again.",
        scenario: "reset",
        ..PLAIN.words
    },
    cases: &[
        Case::new("closed before the response, then 200", |draw| {
            let breaks = |_: &_| withheld(ConnectionFault::Close, FaultLabel("lost_response"));
            breaks_once(draw, Goal::result_or_error, breaks)
        }),
        Case::new("reset before the response, then 200", |draw| {
            let breaks = |_: &_| withheld(ConnectionFault::Reset, FaultLabel("reset"));
            breaks_once(draw, Goal::result_or_error, breaks)
        }),
        Case::new("200 with half a body, then 200", |draw| {
            breaks_once(draw, Goal::result_or_error, |value| {
                cut_ok(&value.to_string())
            })
        }),
    ],
    ..PLAIN
};
