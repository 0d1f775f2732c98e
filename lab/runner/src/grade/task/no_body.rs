//! A response without a body, and a redirect.

use axum::{
    Extension,
    response::{IntoResponse, Response},
};
use evidence::grade::{Goal, TaskWords};
use host::Fault;
use http::{StatusCode, header::LOCATION};
use serde_json::json;

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{draw::Draw, responses::ok};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "no-body",
        path: "/value",
        text: "GET the URL. The response has no object: print its status.",
        goal: r#"{"status": n}"#,
        hint: "A response can be complete without a body. It can also name another URL. Following \
               that URL is a decision for your caller.",
        scenario: "no-content",
        ..PLAIN.words
    },
    rules: &["no-content", "no-redirect"],
    more_routes: &["/elsewhere/{place}"],
    cases: &[
        Case {
            name: "204",
            responder: |_| Box::new(NoBody { elsewhere: None }),
        },
        Case {
            name: "302",
            responder: |draw| {
                let elsewhere = Some(elsewhere(draw));
                Box::new(NoBody { elsewhere })
            },
        },
    ],
    is_shuffled: true,
    ..PLAIN
};

/// A 204, or a 302 to another path.
struct NoBody {
    elsewhere: Option<String>,
}

fn elsewhere(draw: &mut Draw) -> String {
    format!("/elsewhere/{}", draw.word(5))
}

impl NoBody {
    fn status(&self) -> StatusCode {
        match self.elsewhere {
            None => StatusCode::NO_CONTENT,
            Some(_) => StatusCode::FOUND,
        }
    }

    fn response(&self, request: &Received) -> Response {
        let status = self.status();
        match &self.elsewhere {
            None => status.into_response(),
            // A client that follows gets a success, so only the record shows the mistake.
            Some(_) if request.path != TASK.words.path => ok(&json!({"value": "elsewhere"})),
            Some(elsewhere) => {
                let location = [(LOCATION, format!("{}{elsewhere}", request.base_url))];
                (status, Extension(Fault("redirect")), location).into_response()
            }
        }
    }
}

impl Responder for NoBody {
    fn respond(&mut self, request: &Received) -> Reply {
        self.response(request).into()
    }

    fn goal(&self) -> Goal {
        Goal::result(json!({"status": self.status().as_u16()}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_leads_to_a_path_of_the_same_case() {
        let responder = NoBody {
            elsewhere: Some(elsewhere(&mut Draw::new(7, "no-body", 1))),
        };
        let request = Received::of("/value");

        let redirect = responder.response(&request);
        let target = redirect.headers()[LOCATION].to_str().expect("text");
        let path = target.strip_prefix(&request.base_url).expect("below it");

        assert_eq!(redirect.status(), StatusCode::FOUND);
        assert!(path.starts_with("/elsewhere/"), "{path}");
        let followed = responder.response(&Received::of(path));
        assert_eq!(followed.status(), StatusCode::OK);
    }
}
