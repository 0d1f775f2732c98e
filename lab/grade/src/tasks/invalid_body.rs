//! A success with an invalid body.

use axum::{
    Extension,
    response::{IntoResponse, Response},
};
use host::{FaultLabel, NextCursor};
use http::header::{CONTENT_TYPE, HeaderName};
use judge::rules::not_repeated;
use serde_json::{Value, json};

use crate::{
    Goal, TaskWords,
    draw::Draw,
    fixed_goal::fixed_goal,
    responder::Responder,
    responses::{cut_ok, page},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "invalid-body",
        path: "/items",
        request: "GET, listing",
        text: "Read the listing as in read-all. One of several is valid: print its number of items. \
               The others are not: print an error, {\"error\": …}, or exit with a code other than \
               0.",
        goal: r#"{"records": n}, or {"error": "…"}"#,
        hint: "A 200 says that the request was served, not that the body is valid. Check \
               Content-Type, then the JSON, then its shape, and report what is wrong. Another \
               request would get the same response.",
        scenario: "bad-json",
        ..PLAIN.words
    },
    rules: &[
        &not_repeated::BODY_JSON,
        &not_repeated::BODY_MEDIA_TYPE,
        &not_repeated::BODY_SHAPE,
    ],
    cases: &[
        Case::new("a valid page", |draw| valid(draw.number(2..=9))),
        Case::new("JSON that breaks off", |draw| {
            invalid(draw, |page| {
                let body = format!("{{\"items\": [{}, {{\"id\": ", page.record);
                (Extension(FaultLabel::INVALID_JSON), JSON, body).into_response()
            })
        }),
        Case::new("an empty body", |draw| {
            invalid(draw, |_| {
                (Extension(FaultLabel::INVALID_JSON), JSON, "").into_response()
            })
        }),
        Case::new("a page of media type text/plain", |draw| {
            invalid(draw, |page| {
                let text = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
                let body = page.of(&json!([page.record]));
                (Extension(FaultLabel::JSON_AS_TEXT), page.next(), text, body).into_response()
            })
        }),
        Case::new("items that are not an array", |draw| {
            invalid(draw, |page| page.bad_items(&page.record))
        }),
        // A client that reads a missing member as an empty one finds a listing without items.
        Case::new("a page without items", |draw| {
            invalid(draw, |_| {
                let body = json!({"next_cursor": null}).to_string();
                (Extension(FaultLabel::INVALID_ITEMS), JSON, body).into_response()
            })
        }),
        Case::new("an item that is not an object", |draw| {
            invalid(draw, |page| {
                page.bad_items(&json!([page.record, page.record.get("id")]))
            })
        }),
        Case::new("a cursor that is a number", |draw| {
            invalid(draw, |page| {
                let body = json!({"items": [page.record], "next_cursor": 2}).to_string();
                (Extension(FaultLabel::INVALID_CURSOR), JSON, body).into_response()
            })
        }),
        Case::new("a page that is only half sent", |draw| {
            invalid(draw, |page| cut_ok(&page.of(&json!([page.record]))))
        }),
    ],
    is_shuffled: true,
    ..PLAIN
};

const JSON: [(HeaderName, &str); 1] = [(CONTENT_TYPE, "application/json")];

/// One page of so many records: a client that reports an error without a look at it misses
/// the goal.
fn valid(records: u64) -> Box<dyn Responder> {
    fixed_goal(Goal::result(json!({"records": records})), move |_| {
        let records = (0..records).map(|id| json!({"id": id.to_string(), "name": "a record"}));
        page(records, None)
    })
}

fn invalid(draw: &mut Draw, body: fn(&Page) -> Response) -> Box<dyn Responder> {
    let first = Page {
        cursor: draw.cursor(),
        record: json!({"id": draw.word(5), "name": "a record"}),
    };
    fixed_goal(Goal::Error, move |request| match request.page(&[]) {
        Some(_) => body(&first),
        // A client that accepted the invalid page comes to an end.
        None => page([], None),
    })
}

/// The parts of an invalid page.
struct Page {
    /// A client that sends it has accepted the page.
    cursor: String,
    record: Value,
}

impl Page {
    fn of(&self, items: &Value) -> String {
        json!({"items": items, "next_cursor": self.cursor}).to_string()
    }

    fn next(&self) -> Extension<NextCursor> {
        Extension(NextCursor(Some(self.cursor.clone())))
    }

    fn bad_items(&self, items: &Value) -> Response {
        (
            Extension(FaultLabel::INVALID_ITEMS),
            self.next(),
            JSON,
            self.of(items),
        )
            .into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::responder::Received;

    #[test]
    fn a_client_that_accepts_an_invalid_page_finds_no_other_cursor() {
        for case in TASK.cases(7) {
            let mut responder = (case.responder)(&mut Draw::new(7, "invalid-body", 0));
            let mut request = Received::of("/items");
            let mut issued = |request: &Received| {
                let response = responder.respond(request).response;
                let next = response.extensions().get::<NextCursor>().cloned();
                next.and_then(|next| next.0)
            };

            let first = issued(&request).unwrap_or_else(|| "2".to_owned());
            request.set_cursor(Some(first));
            let second = issued(&request);

            assert_eq!(second, None, "{}", case.name);
        }
    }
}
