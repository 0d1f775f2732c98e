//! A POST that must not be repeated.

use std::time::Duration;

use axum::response::Response;
use host::{ConnectionFault, FaultLabel};
use http::Method;
use judge::rules::post_not_retried;

use super::create::{RESIZE, another_body, asked_for, new_job};
use crate::{
    Goal, TaskWords,
    draw::Draw,
    fixed_goal::fixed_goal,
    responder::Responder,
    responses::{asks_for_a_fresh_connection, unavailable, withheld},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "post-once",
        path: "/unsafe",
        request: "POST",
        body: Some(RESIZE),
        text: "POST {\"task\": \"resize\"} to the URL as JSON. This service ignores idempotency \
               keys, and it fails: print an error, {\"error\": …}, or exit with a code other than \
               0.",
        goal: r#"{"error": "…"}"#,
        hint: "After a 503, a silence or a broken connection, the job may still have been created. \
               A second POST may create a second job.",
        scenario: "post-without-permission",
        // Enough for a read timeout, and for three retries that double a pause of a second. Most
        // clients have no timeout, and then the whole card waits for the silent case.
        time: Duration::from_secs(8),
    },
    rules: &[&post_not_retried::RULE],
    method: Method::POST,
    cases: &[
        Case::new("503", |draw| fails_once(draw, unavailable)),
        Case::new("silence", |draw| {
            fails_once(draw, || {
                withheld(ConnectionFault::Silence, FaultLabel::SILENCE)
            })
        }),
        Case::new("a broken connection", |draw| {
            fails_once(draw, || {
                withheld(ConnectionFault::Close, FaultLabel::LOST_RESPONSE)
            })
        }),
    ],
    ..PLAIN
};

/// A failure, then a new job for every request.
fn fails_once(draw: &mut Draw, failure: fn() -> Response) -> Box<dyn Responder> {
    let (mut ids, mut has_failed) = (draw.apart(), false);
    fixed_goal(Goal::Error, move |request| {
        if asked_for(&["resize"], request).is_none() {
            another_body()
        } else if has_failed {
            new_job(&ids.word(8))
        } else if !request.is_fresh {
            asks_for_a_fresh_connection()
        } else {
            has_failed = true;
            failure()
        }
    })
}
