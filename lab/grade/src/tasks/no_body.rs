//! A response without a body, and a redirect.

use axum::{Extension, response::IntoResponse};
use host::FaultLabel;
use http::{StatusCode, header::LOCATION};
use judge::rules::not_repeated;
use serde_json::json;

use crate::{
    Goal, TaskWords,
    draw::Draw,
    fixed_goal::fixed_goal,
    responder::Responder,
    responses::ok,
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "no-body",
        path: "/value",
        text: "GET the URL. The response has no object: print its status.",
        goal: r#"{"status": n}"#,
        hint: "A response can be complete without a body, as a 204 is. In the other case, print \
               302, the status of the redirect itself: do not request the URL that it names. \
               Many libraries follow a redirect unless they are told not to.",
        scenario: "no-content",
        ..PLAIN.words
    },
    rules: &[&not_repeated::NO_CONTENT],
    more_routes: &["/elsewhere/{place}"],
    cases: &[
        Case::new("204", |_| {
            fixed_goal(Goal::result(json!({"status": 204})), |_| {
                StatusCode::NO_CONTENT.into_response()
            })
        }),
        Case::new("302", redirect),
    ],
    is_shuffled: true,
    ..PLAIN
};

/// A 302 to another path.
fn redirect(draw: &mut Draw) -> Box<dyn Responder> {
    let elsewhere = format!("/elsewhere/{}", draw.word(5));
    fixed_goal(Goal::result(json!({"status": 302})), move |request| {
        if request.path != TASK.words.path {
            // A client that follows gets a success, so only the record shows the mistake.
            return ok(&json!({"value": "elsewhere"}));
        }
        let location = [(LOCATION, format!("{}{elsewhere}", request.base_url))];
        (StatusCode::FOUND, Extension(FaultLabel::REDIRECT), location).into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::responder::Received;
    #[test]
    fn a_redirect_leads_to_a_path_of_the_same_case() {
        let mut responder = redirect(&mut Draw::new(7, "no-body", 1));
        let request = Received {
            base_url: "http://127.0.0.1:1/a".to_owned(),
            ..Received::of("/value")
        };

        let redirect = responder.respond(&request).response;
        let target = redirect.headers()[LOCATION].to_str().expect("text");
        let path = target.strip_prefix(&request.base_url).expect("below it");

        assert_eq!(redirect.status(), StatusCode::FOUND);
        assert!(path.starts_with("/elsewhere/"), "{path}");
        let followed = responder.respond(&Received::of(path)).response;
        assert_eq!(followed.status(), StatusCode::OK);
    }
}
