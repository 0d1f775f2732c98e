//! Failures of the service other than 503.

use http::StatusCode;

use super::{Case, PLAIN, Responder, Task};
use crate::{Goal, TaskWords, draw::Draw, fixed_goal::failures_first, responses::refused};
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
        Case::new("500, then 200", |draw| {
            failing(draw, StatusCode::INTERNAL_SERVER_ERROR)
        }),
        Case::new("502, then 200", |draw| {
            failing(draw, StatusCode::BAD_GATEWAY)
        }),
        Case::new("504, then 200", |draw| {
            failing(draw, StatusCode::GATEWAY_TIMEOUT)
        }),
    ],
    is_shuffled: true,
    ..PLAIN
};

fn failing(draw: &mut Draw, status: StatusCode) -> Box<dyn Responder> {
    let failure = move |_: &_| refused(status, "server_error", "the service fails on purpose");
    failures_first(draw, Goal::result_or_error, vec![failure])
}
