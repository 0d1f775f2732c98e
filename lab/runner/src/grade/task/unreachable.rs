//! A service that no request reaches.

use evidence::grade::{Goal, TaskWords};

use super::{Case, Listener, PLAIN, Received, Reply, Responder, Task};
use crate::grade::responses::unavailable;

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
        Case {
            name: "no service listens",
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
    /// Only a request that does not use the URL of the task gets here.
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
