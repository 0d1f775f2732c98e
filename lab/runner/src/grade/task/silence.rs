//! The service accepts a request and never responds.

use std::time::Duration;

use evidence::grade::{Goal, TaskWords};
use serde_json::{Value, json};
use server::ConnectionFault;

use super::{PLAIN, Part, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{asks_for_a_fresh_connection, ok, withheld},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "silence",
        path: "/value",
        text: "GET the URL and print the object that comes, or an error, {\"error\": …}, or end \
               with an exit code other than 0. The service may take the request and say nothing. \
               You have twenty seconds.",
        goal: r#"the body of the 200 as it is, {"value": …}, or {"error": "…"}"#,
        hint: "TCP alone never ends a silence. How long may a response take before you stop waiting \
               for it, and what does your library do if you do not say?",
        scenario: "read-timeout",
        // Many libraries wait for ten seconds.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    rules: &["read-timeout"],
    plays: &[Part {
        name: "silence, then 200",
        responder: |draw| Box::new(Silence::new(draw)),
    }],
    ..PLAIN
};

struct Silence {
    was_silent: bool,
    value: Value,
}

impl Silence {
    fn new(draw: &mut Draw) -> Self {
        Self {
            was_silent: false,
            value: json!({"value": draw.word(6)}),
        }
    }
}

impl Responder for Silence {
    fn respond(&mut self, request: &Received) -> Reply {
        let response = if self.was_silent {
            ok(&self.value)
        } else if !request.is_fresh {
            asks_for_a_fresh_connection()
        } else {
            self.was_silent = true;
            withheld(ConnectionFault::Silence, "silence")
        };
        response.into()
    }

    fn goal(&self) -> Goal {
        let members = self.value.as_object().cloned();
        Goal::ResultOrError(members.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn the_first_request_on_a_fresh_connection_gets_nothing() {
        let mut silence = Silence::new(&mut Draw::new(7, "silence", 0));
        let mut respond = |is_fresh| {
            let request = Received {
                is_fresh,
                ..Received::of("/value")
            };
            let response = silence.respond(&request).response;
            let fault = response.extensions().get::<ConnectionFault>();
            (fault.copied(), response.status())
        };

        let responses = [false, true, true, false].map(&mut respond);

        let silent = Some(ConnectionFault::Silence);
        let (unavailable, ok) = (StatusCode::SERVICE_UNAVAILABLE, StatusCode::OK);
        let expected = [(None, unavailable), (silent, ok), (None, ok), (None, ok)];
        assert_eq!(responses, expected);
    }
}
