//! A service that no request reaches.

use evidence::grade::{Goal, TaskWords};

use super::{Case, Listener, PLAIN, Received, Reply, Responder, Task};
use crate::grade::responses::unavailable;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "unreachable",
        path: "/value",
        text: "GET the URL. No connection comes about, or it is none that can be trusted: print an \
               error, {\"error\": …}. An exit code alone is not enough here, since no request \
               shows that you tried.",
        goal: r#"{"error": "…"}"#,
        hint: "A port on which nobody listens may be a restart, so a few attempts with pauses are \
               in order. What has to change before another handshake succeeds?",
        scenario: "connection-refused",
        ..PLAIN.words
    },
    cases: &[
        Case {
            name: "nobody listens",
            responder: |_| Box::new(Unreachable(Listener::Closed)),
        },
        Case {
            name: "https, and no TLS behind it",
            responder: |_| Box::new(Unreachable(Listener::PlainHttps)),
        },
    ],
    ..PLAIN
};

struct Unreachable(Listener);

impl Responder for Unreachable {
    /// Who gets here has come by another way than the URL.
    fn respond(&mut self, _: &Received) -> Reply {
        unavailable().into()
    }

    fn goal(&self) -> Goal {
        Goal::ErrorInWords
    }

    fn listener(&self) -> Listener {
        self.0
    }
}
