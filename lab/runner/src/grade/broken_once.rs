//! A service that breaks one response, and then sends it whole.

use axum::response::Response;
use evidence::grade::Goal;
use serde_json::{Value, json};

use super::{
    draw::Draw,
    responses::{asks_for_a_fresh_connection, ok},
    task::{Received, Reply, Responder},
};

/// Breaks the first response on a fresh connection; the next is 200 with a value.
pub(super) struct BrokenOnce {
    breaks: fn(&Value) -> Response,
    is_over: bool,
    /// Whether an error reaches the goal too.
    takes_error: bool,
    value: Value,
}

impl BrokenOnce {
    /// How it breaks the response that would have had this value.
    pub(super) fn new(draw: &mut Draw, breaks: fn(&Value) -> Response) -> Self {
        Self {
            breaks,
            is_over: false,
            takes_error: true,
            value: json!({"value": draw.word(6)}),
        }
    }

    /// Only the value reaches the goal.
    pub(super) fn value_only(self) -> Self {
        Self {
            takes_error: false,
            ..self
        }
    }
}

impl Responder for BrokenOnce {
    fn respond(&mut self, request: &Received) -> Reply {
        let response = if self.is_over {
            ok(&self.value)
        } else if !request.is_fresh {
            asks_for_a_fresh_connection()
        } else {
            self.is_over = true;
            (self.breaks)(&self.value)
        };
        response.into()
    }

    fn goal(&self) -> Goal {
        let members = self.value.as_object().cloned();
        let members = members.into_iter().collect();
        match self.takes_error {
            true => Goal::ResultOrError(members),
            false => Goal::Result(members),
        }
    }
}

#[cfg(test)]
mod tests {
    use host::{ConnectionFault, Fault};
    use http::StatusCode;

    use super::*;
    use crate::grade::task::find;

    #[test]
    fn a_fresh_connection_breaks_once_and_each_case_in_its_own_way() {
        use ConnectionFault::{Close, Reset, Silence};
        let found = ["broken-off", "silence"].map(|task| {
            let task = find(task).expect("a task");
            let cases = task.cases(7).into_iter().map(|case| {
                let mut responder = (case.responder)(&mut Draw::new(7, task.words.name, 0));
                let mut respond = |is_fresh| {
                    let request = Received {
                        is_fresh,
                        ..Received::of("/value")
                    };
                    let response = responder.respond(&request).response;
                    let fault = response.extensions().get::<Fault>().map(|fault| fault.0);
                    let how = response.extensions().get::<ConnectionFault>().copied();
                    (fault, how, response.status())
                };

                let [used, fresh, again, once_more] = [false, true, true, false].map(&mut respond);

                assert_eq!((used.1, used.2), (None, StatusCode::SERVICE_UNAVAILABLE));
                assert_eq!([again, once_more], [(None, None, StatusCode::OK); 2]);
                (fresh.0.expect("a fault"), fresh.1)
            });
            cases.collect::<Vec<_>>()
        });

        let [broken_off, silence] = found;
        let expected = [
            ("lost_response", Some(Close)),
            ("reset", Some(Reset)),
            ("cut_body", None),
        ];
        assert_eq!(broken_off, expected);
        assert_eq!(silence, [("silence", Some(Silence))]);
    }
}
