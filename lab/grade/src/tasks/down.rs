//! The service does not come back, whatever it responds with.

use host::{ConnectionFault, FaultLabel};
use judge::rules::{CaseKind, backoff_jitter, backoff_waits, finite_attempts};
use std::time::Duration;

use crate::{
    Goal, TaskWords,
    fixed_goal::fixed_goal,
    responses::{
        asks_for_a_fresh_connection, bad_gateway, too_many, too_many_for, unavailable, withheld,
    },
    task::{Case, PLAIN, Task},
};

/// The case in which the service responds with 503 to every request.
pub(crate) const REFUSING: &str = "503 for ever";

pub(crate) const TASK: Task = Task {
    words: TaskWords {
        name: "down",
        path: "/value",
        text: "GET the URL. The service fails for longer than you may wait, with a 503, a 502, a \
               429 or a broken connection, whether you retry or not: print an error, {\"error\": …}, or exit with a code \
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
        Case::new(REFUSING, |_| fixed_goal(Goal::Error, |_| unavailable())),
        Case::new("502 for ever", |_| {
            fixed_goal(Goal::Error, |_| bad_gateway())
        }),
        // A client often counts attempts after a 5xx, and waits out a 429 without a limit.
        Case::new("429 for ever", |_| fixed_goal(Goal::Error, |_| too_many())),
        Case::new("429 with a Retry-After of 1 s, for ever", |_| {
            fixed_goal(Goal::Error, |_| too_many_for("1"))
        }),
        // A library may retry this below the client's own retries, which do not count it.
        Case::new("the connection breaks, for ever", |_| {
            fixed_goal(Goal::Error, |request| {
                if request.is_fresh {
                    withheld(ConnectionFault::Close, FaultLabel::LOST_RESPONSE)
                } else {
                    asks_for_a_fresh_connection()
                }
            })
        }),
    ],
    ..PLAIN
};

#[cfg(test)]
mod tests {
    use http::{StatusCode, header::CONNECTION};

    use super::*;
    use crate::{draw::Draw, responder::Received};

    /// A transport may send a request again that was on a connection which was used before.
    #[test]
    fn only_fresh_connections_break_and_each_of_them_does() {
        let cases = TASK.cases.iter();
        let mut breaks = cases.filter(|case| case.name.contains("connection breaks"));
        let case = breaks.next().expect("a case");
        let mut responder = (case.responder)(&mut Draw::new(7, "down", 4));
        let mut respond = |is_fresh| {
            let request = Received {
                is_fresh,
                ..Received::of("/value")
            };
            responder.respond(&request).response
        };

        for _ in 0..30 {
            let broken = respond(true);
            let faults = broken.extensions();
            assert_eq!(faults.get(), Some(&ConnectionFault::Close));
            assert_eq!(faults.get(), Some(&FaultLabel::LOST_RESPONSE));
            let used = respond(false);
            assert_eq!(used.extensions().get::<ConnectionFault>(), None);
            assert_eq!(used.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(used.headers()[CONNECTION], "close");
        }
    }
}
