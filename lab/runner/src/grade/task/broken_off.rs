//! A connection that breaks before the response is there, or in the middle of it.

use evidence::grade::TaskWords;
use host::ConnectionFault;

use super::{Case, PLAIN, Task};
use crate::grade::{
    broken_once::BrokenOnce,
    responses::{cut_ok, withheld},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "broken-off",
        path: "/value",
        text: "GET the URL and print the object that comes, or an error, {\"error\": …}, or end \
               with an exit code other than 0. The connection breaks once, before the response \
               or in the middle of it.",
        goal: r#"the body of the 200 as it is, {"value": …}, or {"error": "…"}"#,
        hint: "A status of 200 came before the body, and half a body is none: look at its length, \
               or let your library. A GET changes nothing, so it may be sent again.",
        scenario: "reset",
        ..PLAIN.words
    },
    cases: &[
        Case {
            name: "closed before the response, then 200",
            responder: |draw| {
                let breaks = |_: &_| withheld(ConnectionFault::Close, "lost_response");
                Box::new(BrokenOnce::new(draw, breaks))
            },
        },
        Case {
            name: "reset before the response, then 200",
            responder: |draw| {
                let breaks = |_: &_| withheld(ConnectionFault::Reset, "reset");
                Box::new(BrokenOnce::new(draw, breaks))
            },
        },
        Case {
            name: "200 with half a body, then 200",
            responder: |draw| Box::new(BrokenOnce::new(draw, |value| cut_ok(&value.to_string()))),
        },
    ],
    ..PLAIN
};
