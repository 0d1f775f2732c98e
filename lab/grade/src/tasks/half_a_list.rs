//! A listing of which a later page cannot be read.

use std::time::Duration;

use axum::{
    Extension,
    response::{IntoResponse, Response},
};
use host::FaultLabel;
use http::{
    StatusCode,
    header::{CONTENT_TYPE, HeaderName},
};
use judge::rules::reads_to_the_end;
use serde_json::{Value, json};

use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{cut_ok, page, refused, unknown_cursor},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "half-a-list",
        path: "/items",
        request: "GET, listing",
        text: "Read the listing as in read-all, with the token. A later page cannot be read, however often you \
               ask: print an error, {\"error\": …}, or exit with a code other than 0. Half a \
               listing is not a result.",
        goal: r#"{"error": "…"}"#,
        hint: "Your caller cannot see that records are missing. Null ends a listing; an empty \
               text, a number or no next_cursor at all does not.",
        scenario: "bad-cursor",
        // A finite schedule of retries may last for 15 s.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    rules: &[&reads_to_the_end::RULE],
    cases: &[
        Case::new("500 for a later page, for ever", |draw| {
            broken(draw, |_| {
                let detail = "the service fails on purpose";
                refused(StatusCode::INTERNAL_SERVER_ERROR, "server_error", detail)
            })
        }),
        Case::new("a later page that is only half sent, for ever", |draw| {
            broken(draw, |items| {
                cut_ok(&json!({"items": items, "next_cursor": null}).to_string())
            })
        }),
        Case::new("a later page of invalid JSON", |draw| {
            broken(draw, |items| {
                let body = format!("{{\"items\": {items}, \"next_cursor\": ");
                (Extension(FaultLabel::INVALID_JSON), JSON, body).into_response()
            })
        }),
        Case::new("a later page whose cursor is \"\"", |draw| {
            broken(draw, |items| {
                bad_cursor(&json!({"items": items, "next_cursor": ""}))
            })
        }),
        Case::new("a later page without a cursor", |draw| {
            broken(draw, |items| bad_cursor(&json!({"items": items})))
        }),
        Case::new("a later page whose cursor is a number", |draw| {
            broken(draw, |items| {
                bad_cursor(&json!({"items": items, "next_cursor": 4}))
            })
        }),
    ],
    is_shuffled: true,
    has_token: true,
    ..PLAIN
};

/// The pages of the listing.
const PAGES: usize = 6;

const JSON: [(HeaderName, &str); 1] = [(CONTENT_TYPE, "application/json")];

fn bad_cursor(page: &Value) -> Response {
    (
        Extension(FaultLabel::INVALID_CURSOR),
        JSON,
        page.to_string(),
    )
        .into_response()
}

/// A listing whose later page is this response, made from its records.
fn broken(draw: &mut Draw, response: fn(&Value) -> Response) -> Box<dyn Responder> {
    Box::new(HalfAList {
        pages: [(); PAGES].map(|()| draw.number(1..=4)),
        cursors: (1..PAGES).map(|_| draw.cursor()).collect(),
        prefix: draw.word(4),
        broken: draw.number(2..=4) as usize,
        response,
        was_served: false,
    })
}

struct HalfAList {
    /// How many records each page has.
    pages: [u64; PAGES],
    cursors: Vec<String>,
    prefix: String,
    /// The number of the broken page, the first being 0.
    broken: usize,
    response: fn(&Value) -> Response,
    /// Whether the broken page was served.
    was_served: bool,
}

impl HalfAList {
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a page for every cursor, and one more"
    )]
    fn records(&self, page: usize) -> Vec<Value> {
        let ids = 0..self.pages[page];
        let records =
            ids.map(|id| json!({"id": format!("{}-{page}-{id}", self.prefix), "name": "a record"}));
        records.collect()
    }
}

impl Responder for HalfAList {
    fn respond(&mut self, request: &Received) -> Reply {
        let Some(number) = request.page(&self.cursors) else {
            return unknown_cursor().into();
        };
        let records = self.records(number);
        if number == self.broken {
            self.was_served = true;
            return (self.response)(&Value::from(records)).into();
        }
        page(records, self.cursors.get(number).cloned()).into()
    }

    fn goal(&self) -> Goal {
        if self.was_served {
            let records = self.pages.iter().sum();
            Goal::ErrorInListing { records }
        } else {
            Goal::result_of([])
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use host::NextCursor;

    use super::*;
    use crate::find;

    #[test]
    fn each_case_has_a_healthy_start_and_then_a_page_that_breaks_each_time() {
        let mut bodies = HashSet::new();
        for (number, case) in find("half-a-list")
            .expect("a task")
            .cases(7)
            .iter()
            .enumerate()
        {
            let mut list = (case.responder)(&mut Draw::new(7, "half-a-list", number));
            let mut request = Received::of("/items");
            let mut healthy = 0;
            loop {
                let response = list.respond(&request).response;
                let Some(NextCursor(next)) = response.extensions().get() else {
                    break;
                };
                assert_eq!(list.goal(), Goal::result_of([]), "{}", case.name);
                healthy += 1;
                request.set_cursor(next.clone());
            }

            let again = list.respond(&request).response;

            assert!((2..=4).contains(&healthy), "{}", case.name);
            assert!(again.extensions().get::<NextCursor>().is_none());
            let Goal::ErrorInListing { records } = list.goal() else {
                panic!("{}: {:?}", case.name, list.goal());
            };
            assert!(records >= PAGES as u64);
            let fault = again.extensions().get::<FaultLabel>().map(|fault| fault.0);
            bodies.insert((again.status(), fault));
        }
        assert_eq!(bodies.len(), 4, "{bodies:?}");
    }
}
