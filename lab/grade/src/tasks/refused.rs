//! The service refuses the request, and would refuse it again.

use http::StatusCode;
use judge::rules::not_repeated;
use serde_json::json;

use crate::{
    Goal, TaskWords,
    fixed_goal::fixed_goal,
    responder::Responder,
    responses::refused,
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "refused",
        path: "/value",
        text: "GET the URL. The service refuses the request, each time for a different reason: \
               print the status of its response.",
        goal: r#"{"status": n}"#,
        hint: "Each status from 400 to 499 but 408 and 429 says that the request itself is wrong. \
               What would have to change for another attempt to succeed?",
        scenario: "not-found",
        ..PLAIN.words
    },
    rules: &[&not_repeated::NO_RETRY_4XX],
    cases: &[
        Case::new("400", |_| refusing(StatusCode::BAD_REQUEST)),
        Case::new("401", |_| refusing(StatusCode::UNAUTHORIZED)),
        Case::new("403", |_| refusing(StatusCode::FORBIDDEN)),
        Case::new("404", |_| refusing(StatusCode::NOT_FOUND)),
        Case::new("409", |_| refusing(StatusCode::CONFLICT)),
        Case::new("422", |_| refusing(StatusCode::UNPROCESSABLE_ENTITY)),
    ],
    is_shuffled: true,
    ..PLAIN
};

fn refusing(status: StatusCode) -> Box<dyn Responder> {
    let goal = Goal::result(json!({"status": status.as_u16()}));
    let detail = "the request is refused on purpose";
    fixed_goal(goal, move |_| refused(status, "refused", detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{draw::Draw, responder::Received};
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
