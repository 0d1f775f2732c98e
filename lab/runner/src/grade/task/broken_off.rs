//! A connection that breaks before the response is there, or in the middle of it.

use axum::response::Response;
use evidence::grade::{Goal, TaskWords};
use serde_json::{Value, json};
use server::ConnectionFault;

use super::{PLAIN, Part, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{asks_for_a_fresh_connection, cut_ok, ok, withheld},
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
    plays: &[
        Part {
            name: "closed before the response, then 200",
            responder: |draw| Box::new(BrokenOff::new(draw, Breaks::Closed)),
        },
        Part {
            name: "reset before the response, then 200",
            responder: |draw| Box::new(BrokenOff::new(draw, Breaks::Reset)),
        },
        Part {
            name: "200 with half a body, then 200",
            responder: |draw| Box::new(BrokenOff::new(draw, Breaks::InTheBody)),
        },
    ],
    ..PLAIN
};

/// Where the connection breaks, and how.
#[derive(Clone, Copy)]
enum Breaks {
    Closed,
    Reset,
    InTheBody,
}

struct BrokenOff {
    breaks: Breaks,
    is_over: bool,
    value: Value,
}

impl BrokenOff {
    fn new(draw: &mut Draw, breaks: Breaks) -> Self {
        Self {
            breaks,
            is_over: false,
            value: json!({"value": draw.word(6)}),
        }
    }

    fn broken(&self) -> Response {
        match self.breaks {
            Breaks::Closed => withheld(ConnectionFault::Close, "lost_response"),
            Breaks::Reset => withheld(ConnectionFault::Reset, "reset"),
            Breaks::InTheBody => cut_ok(&self.value.to_string()),
        }
    }
}

impl Responder for BrokenOff {
    fn respond(&mut self, request: &Received) -> Reply {
        let response = if self.is_over {
            ok(&self.value)
        } else if !request.is_fresh {
            asks_for_a_fresh_connection()
        } else {
            self.is_over = true;
            self.broken()
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
    use server::Fault;

    use super::*;

    #[test]
    fn a_fresh_connection_breaks_once_and_each_play_in_its_own_way() {
        let mut faults = Vec::new();
        for part in TASK.plays {
            let mut responder = (part.responder)(&mut Draw::new(7, "broken-off", 0));
            let mut respond = |is_fresh| {
                let request = Received {
                    is_fresh,
                    ..Received::of("/value")
                };
                let response = responder.respond(&request).response;
                let fault = response.extensions().get::<Fault>().map(|fault| fault.0);
                (fault, response.status())
            };

            let [used, fresh, again] = [false, true, true].map(&mut respond);

            assert_eq!(used.1, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(again, (None, StatusCode::OK));
            faults.push(fresh.0.expect("a fault"));
        }
        assert_eq!(faults, ["lost_response", "reset", "cut_body"]);
    }
}
