//! The service refuses the request, and would refuse it again.

use evidence::grade::{Goal, TaskWords};
use http::StatusCode;
use serde_json::json;

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::responses::refused;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "refused",
        path: "/value",
        text: "GET the URL. The service refuses the request, each time for a different reason: \
               print the status of its response.",
        goal: r#"{"status": n}"#,
        hint: "A status from 400 to 499 says that the request is wrong. What would have to change \
               for another attempt to succeed?",
        scenario: "not-found",
        ..PLAIN.words
    },
    rules: &["no-retry-4xx"],
    cases: &[
        refusing::<400>("400"),
        refusing::<401>("401"),
        refusing::<403>("403"),
        refusing::<404>("404"),
        refusing::<409>("409"),
        refusing::<422>("422"),
    ],
    is_shuffled: true,
    ..PLAIN
};

const fn refusing<const STATUS: u16>(name: &'static str) -> Case {
    Case {
        name,
        responder: |_| Box::new(Refused(STATUS)),
    }
}

struct Refused(u16);

impl Responder for Refused {
    fn respond(&mut self, _: &Received) -> Reply {
        #[expect(clippy::expect_used, reason = "the cases name their statuses")]
        let status = StatusCode::from_u16(self.0).expect("a status");
        refused(status, "refused", "the request is refused on purpose").into()
    }

    fn goal(&self) -> Goal {
        Goal::result(json!({"status": self.0}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::draw::Draw;

    #[test]
    fn each_case_refuses_with_the_status_that_it_is_called_by() {
        for (number, case) in TASK.cases.iter().enumerate() {
            let mut responder = (case.responder)(&mut Draw::new(7, "refused", number));

            let response = responder.respond(&Received::of("/value")).response;

            assert_eq!(response.status().as_str(), case.name);
            let goal = json!({"status": response.status().as_u16()});
            assert_eq!(responder.goal(), Goal::result(goal));
        }
    }
}
