//! A success with an invalid body.

use axum::{
    Extension,
    response::{IntoResponse, Response},
};
use evidence::grade::{Goal, TaskWords};
use host::{Fault, NextCursor};
use http::header::CONTENT_TYPE;
use serde_json::json;

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{cut_ok, page},
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
    rules: &["body-json", "body-media-type", "body-shape"],
    cases: &[
        Case {
            name: "a valid page",
            responder: |draw| Box::new(Valid(draw.number(2..=9))),
        },
        Case {
            name: "JSON that breaks off",
            responder: |draw| Box::new(InvalidBody::new(draw, Invalid::Json)),
        },
        Case {
            name: "a page of media type text/plain",
            responder: |draw| Box::new(InvalidBody::new(draw, Invalid::MediaType)),
        },
        Case {
            name: "items that are not an array",
            responder: |draw| Box::new(InvalidBody::new(draw, Invalid::Items)),
        },
        Case {
            name: "an item that is not an object",
            responder: |draw| Box::new(InvalidBody::new(draw, Invalid::Item)),
        },
        Case {
            name: "a cursor that is a number",
            responder: |draw| Box::new(InvalidBody::new(draw, Invalid::Cursor)),
        },
        Case {
            name: "a page that is only half sent",
            responder: |draw| Box::new(InvalidBody::new(draw, Invalid::Length)),
        },
    ],
    is_shuffled: true,
    ..PLAIN
};

/// One page of so many records: a client that reports an error without a look at it misses
/// the goal.
struct Valid(u64);

impl Responder for Valid {
    fn respond(&mut self, _: &Received) -> Reply {
        let records = (0..self.0).map(|it| json!({"id": it.to_string(), "name": "a record"}));
        page(records, None).into()
    }

    fn goal(&self) -> Goal {
        Goal::result(json!({"records": self.0}))
    }
}

enum Invalid {
    Json,
    MediaType,
    Items,
    Item,
    Cursor,
    Length,
}

struct InvalidBody {
    invalid: Invalid,
    /// A client that sends it has accepted the invalid page.
    cursor: String,
    record: String,
}

impl InvalidBody {
    fn new(draw: &mut Draw, invalid: Invalid) -> Self {
        Self {
            invalid,
            cursor: draw.cursor(),
            record: draw.word(5),
        }
    }

    fn body(&self) -> Response {
        let next = Extension(NextCursor(Some(self.cursor.clone())));
        let record = json!({"id": self.record, "name": "a record"});
        let page = |items| json!({"items": items, "next_cursor": self.cursor}).to_string();
        let (json, text) = ("application/json", "text/plain; charset=utf-8");
        let bad_items = |items| {
            let fault = Extension(Fault("bad_items"));
            (fault, next.clone(), [(CONTENT_TYPE, json)], page(items)).into_response()
        };
        match self.invalid {
            Invalid::Json => {
                let body = format!("{{\"items\": [{record}, {{\"id\": ");
                (Extension(Fault("bad_json")), [(CONTENT_TYPE, json)], body).into_response()
            }
            Invalid::MediaType => {
                let body = page(json!([record]));
                let fault = Extension(Fault("text_json"));
                (fault, next, [(CONTENT_TYPE, text)], body).into_response()
            }
            Invalid::Items => bad_items(record),
            Invalid::Item => bad_items(json!([record, self.record])),
            Invalid::Cursor => {
                let page = json!({"items": [record], "next_cursor": 2}).to_string();
                let fault = Extension(Fault("bad_cursor"));
                (fault, [(CONTENT_TYPE, json)], page).into_response()
            }
            Invalid::Length => cut_ok(&page(json!([record]))),
        }
    }
}

impl Responder for InvalidBody {
    fn respond(&mut self, _: &Received) -> Reply {
        self.body().into()
    }

    fn goal(&self) -> Goal {
        Goal::Error
    }
}
