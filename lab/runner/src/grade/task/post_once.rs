//! A POST that must not be repeated.

use axum::response::Response;
use evidence::grade::{Goal, TaskWords};
use host::ConnectionFault;
use http::{Method, StatusCode};

use super::{
    Case, PLAIN, Received, Reply, Responder, Task,
    create::{RESIZE, asked_for, new_job},
};
use crate::grade::{
    draw::Draw,
    responses::{asks_for_a_fresh_connection, refused, unavailable, withheld},
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
        // As long as for the task `silence`: a client may wait for its read timeout.
        time: super::silence::TASK.words.time,
    },
    rules: &["post-not-retried"],
    method: Method::POST,
    cases: &[
        Case {
            name: "503",
            responder: |draw| Box::new(PostOnce::new(draw, unavailable)),
        },
        Case {
            name: "silence",
            responder: |draw| {
                let silence = || withheld(ConnectionFault::Silence, "silence");
                Box::new(PostOnce::new(draw, silence))
            },
        },
        Case {
            name: "a broken connection",
            responder: |draw| {
                let close = || withheld(ConnectionFault::Close, "lost_response");
                Box::new(PostOnce::new(draw, close))
            },
        },
    ],
    ..PLAIN
};

/// A failure, then a new job for every request.
struct PostOnce {
    failure: fn() -> Response,
    has_failed: bool,
    ids: Draw,
}

impl PostOnce {
    fn new(draw: &mut Draw, failure: fn() -> Response) -> Self {
        Self {
            failure,
            has_failed: false,
            ids: draw.apart(),
        }
    }
}

impl Responder for PostOnce {
    fn respond(&mut self, request: &Received) -> Reply {
        let response = match asked_for(&["resize"], request) {
            None => refused(
                StatusCode::UNPROCESSABLE_ENTITY,
                "invalid_job",
                "the body is not the one that the task asks for",
            ),
            Some(_) if self.has_failed => new_job(&self.ids.word(8)),
            Some(_) if !request.is_fresh => asks_for_a_fresh_connection(),
            Some(_) => {
                self.has_failed = true;
                (self.failure)()
            }
        };
        response.into()
    }

    fn goal(&self) -> Goal {
        Goal::Error
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn a_connection_that_was_used_before_is_never_broken() {
        for case in TASK.cases {
            let mut responder = (case.responder)(&mut Draw::new(7, "post-once", 0));
            let mut respond = |is_fresh| {
                let request = Received {
                    is_fresh,
                    body: r#"{"task": "resize"}"#.into(),
                    ..Received::of("/unsafe")
                };
                responder.respond(&request).response
            };
            let is_broken = |response: &Response| {
                let fault = response.extensions().get::<ConnectionFault>();
                fault.is_some()
            };

            let used = respond(false);
            let fresh = respond(true);
            let again = respond(true);

            assert_eq!(used.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert!(!is_broken(&used) && !is_broken(&again), "{}", case.name);
            assert_eq!(is_broken(&fresh), case.name != "503");
            assert_eq!(again.status(), StatusCode::CREATED);
        }
    }
}
