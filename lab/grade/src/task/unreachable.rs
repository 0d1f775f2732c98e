//! A service that no request reaches.

use super::{Case, Listener, PLAIN, Responder, Task};
use crate::{Goal, TaskWords, fixed_goal::behind, responses::unavailable};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "unreachable",
        path: "/value",
        text: "GET the URL. The connection fails, or it cannot be trusted: print an error, \
               {\"error\": …}. An exit code alone is not enough here, because no request shows \
               that you tried.",
        goal: r#"{"error": "…"}"#,
        hint: "A port on which no service listens may mean a restart, so a few attempts with \
               pauses make sense. What has to change before another TLS handshake succeeds?",
        scenario: "connection-refused",
        ..PLAIN.words
    },
    cases: &[
        Case::new("no service listens", |_| unreachable(Listener::Closed)),
        Case::new("https, and no TLS behind it", |_| {
            unreachable(Listener::PlainHttps)
        }),
    ],
    ..PLAIN
};

/// Only a request that does not use the URL of the task gets a response.
fn unreachable(listener: Listener) -> Box<dyn Responder> {
    behind(listener, Goal::ErrorInWords, |_| unavailable())
}
