//! The service asks for a wait that is longer than a call may take.

use std::time::Duration;

use judge::rules::retry_after;
use serde_json::json;

use crate::{
    Goal, TaskWords,
    fixed_goal::fixed_goal,
    responder::Responder,
    responses::unavailable_for,
    task::{Case, PLAIN, Task},
};

/// Thirty days, in seconds. In milliseconds they exceed 2³¹, which some timers take for 0.
const MONTH: u64 = 30 * 24 * 60 * 60;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "maintenance",
        path: "/value",
        text: "GET the URL. The service is down and says for how many seconds, or until which \
               date; you have ten seconds. Print an error that gives those seconds; for a date, \
               print any error.",
        goal: r#"{"error": "…", "retry_after": n}"#,
        hint: "An earlier retry is against what the service asked, and a wait of minutes or days \
               blocks your caller. The caller may be able to try again later, if your error says \
               when.",
        scenario: "retry-later",
        ..PLAIN.words
    },
    rules: &[&retry_after::RETRY_AFTER_OVER_BUDGET],
    cases: &[
        Case::new("503 with a Retry-After of minutes", |draw| {
            seconds(draw.number(61..=300))
        }),
        Case::new("503 with a Retry-After of thirty days", |_| seconds(MONTH)),
        Case::new("503 with a date in thirty days", |_| {
            // An exit code alone could be that of a client that cannot read the date.
            fixed_goal(Goal::error_with(json!({})), |request| {
                let date = request.at + Duration::from_secs(MONTH);
                unavailable_for(&httpdate::fmt_http_date(date))
            })
        }),
    ],
    ..PLAIN
};

fn seconds(wait: u64) -> Box<dyn Responder> {
    let goal = Goal::error_with(json!({"retry_after": wait}));
    fixed_goal(goal, move |_| unavailable_for(&wait.to_string()))
}
