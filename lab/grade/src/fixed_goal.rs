//! Services whose goal is known before their first request.

use axum::response::Response;
use serde_json::{Value, json};

use crate::{
    Goal,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{asks_for_a_fresh_connection, ok},
};

struct FixedGoal<F> {
    has_second_origin: bool,
    goal: Goal,
    respond: F,
}

impl<F: FnMut(&Received) -> Response + Send> Responder for FixedGoal<F> {
    fn respond(&mut self, request: &Received) -> Reply {
        (self.respond)(request).into()
    }

    fn goal(&self) -> Goal {
        self.goal.clone()
    }

    fn has_second_origin(&self) -> bool {
        self.has_second_origin
    }
}

/// A service with this goal, which responds by this function.
pub(super) fn fixed_goal(
    goal: Goal,
    respond: impl FnMut(&Received) -> Response + Send + 'static,
) -> Box<dyn Responder> {
    Box::new(FixedGoal {
        has_second_origin: false,
        goal,
        respond,
    })
}

/// The same, with a second origin.
pub(super) fn with_second_origin(
    goal: Goal,
    respond: impl FnMut(&Received) -> Response + Send + 'static,
) -> Box<dyn Responder> {
    Box::new(FixedGoal {
        has_second_origin: true,
        goal,
        respond,
    })
}

/// Fails with each of these responses in turn, and then responds with a value, of which the
/// goal is made.
pub(super) fn failures_first<F: Fn(&Received) -> Response + Send + 'static>(
    draw: &mut Draw,
    goal: fn(Value) -> Goal,
    failures: Vec<F>,
) -> Box<dyn Responder> {
    let value = json!({"value": draw.word(6)});
    let mut failures = failures.into_iter();
    fixed_goal(goal(value.clone()), move |request| match failures.next() {
        Some(failure) => failure(request),
        None => ok(&value),
    })
}

/// Breaks the first response on a fresh connection, and then responds with a value, of which
/// the goal is made. `breaks` takes the value.
pub(super) fn breaks_once(
    draw: &mut Draw,
    goal: fn(Value) -> Goal,
    breaks: fn(&Value) -> Response,
) -> Box<dyn Responder> {
    let value = json!({"value": draw.word(6)});
    let mut is_over = false;
    fixed_goal(goal(value.clone()), move |request| {
        if is_over {
            ok(&value)
        } else if !request.is_fresh {
            asks_for_a_fresh_connection()
        } else {
            is_over = true;
            breaks(&value)
        }
    })
}

#[cfg(test)]
mod tests {
    use host::{
        ConnectionFault::{self, Close, Silence},
        FaultLabel,
    };
    use http::StatusCode;

    use super::*;
    use crate::find;
    #[test]
    fn a_fresh_connection_breaks_once_and_each_case_in_its_own_way() {
        let post_once = [
            ("unavailable", None),
            ("silence", Some(Silence)),
            ("lost_response", Some(Close)),
        ];
        let silence = [("silence", Some(Silence))];
        for (name, faults, success) in [
            ("silence", &silence[..], StatusCode::OK),
            ("post-once", &post_once, StatusCode::CREATED),
        ] {
            let task = find(name).expect("a task");
            let cases = task.cases(7).into_iter().map(|case| {
                let mut responder = (case.responder)(&mut Draw::new(7, name, 0));
                let mut respond = |is_fresh| {
                    let request = Received {
                        is_fresh,
                        body: task.words.body.unwrap_or_default().into(),
                        ..Received::of(task.words.path)
                    };
                    let response = responder.respond(&request).response;
                    let fault = response
                        .extensions()
                        .get::<FaultLabel>()
                        .map(|fault| fault.0);
                    let how = response.extensions().get::<ConnectionFault>().copied();
                    (fault, how, response.status())
                };

                let [used, fresh, again, once_more] = [false, true, true, false].map(&mut respond);

                assert_eq!((used.1, used.2), (None, StatusCode::SERVICE_UNAVAILABLE));
                assert_eq!([again, once_more], [(None, None, success); 2], "{name}");
                (fresh.0.expect("a fault"), fresh.1)
            });
            assert_eq!(cases.collect::<Vec<_>>(), faults, "{name}");
        }
    }
}
