//! A listing is read to its end, page by page.

use axum::{Extension, response::IntoResponse};
use evidence::grade::{Goal, TaskWords};
use host::Fault;
use serde_json::json;

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{page, unknown_cursor},
};

/// How many records the listing has.
const RECORDS: usize = 7;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "read-all",
        path: "/items",
        request: "GET, listing",
        text: "GET the URL for a page: {\"items\": […], \"next_cursor\": …}. GET the next page \
               with ?cursor= and the next_cursor, until it is null. Send the token in LAB_TOKEN as \
               a bearer token. Print the number of items.",
        goal: r#"{"records": n}"#,
        hint: "A cursor may contain any character: percent-encode it as a query value. A page may \
               be empty without being the last.",
        scenario: "items",
        ..PLAIN.words
    },
    rules: &["cursor-verbatim", "empty-page", "no-url-credentials"],
    cases: &[Case {
        name: "seven records, one page of them empty",
        responder: |draw| Box::new(ReadAll::new(draw)),
    }],
    has_token: true,
    ..PLAIN
};

/// Pages, and the cursors that lead to all but the first.
struct ReadAll {
    pages: Vec<usize>,
    cursors: Vec<String>,
    prefix: String,
}

impl ReadAll {
    fn new(draw: &mut Draw) -> Self {
        // The empty page is never the first or the last: it looks like the end of the
        // listing and is not.
        let mut pages = [1, 2, 2, 2];
        draw.shuffle(&mut pages);
        let [first, second, third, last] = pages;
        let mut between = [second, 0, third];
        draw.shuffle(&mut between);
        let pages = std::iter::once(first).chain(between).chain([last]);
        let pages: Vec<_> = pages.collect();
        Self {
            cursors: (1..pages.len()).map(|_| draw.cursor()).collect(),
            prefix: draw.word(4),
            pages,
        }
    }
}

impl Responder for ReadAll {
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a page for every cursor, and one more"
    )]
    fn respond(&mut self, request: &Received) -> Reply {
        let Some(number) = request.page(&self.cursors) else {
            return unknown_cursor().into();
        };
        let before: usize = self.pages[..number].iter().sum();
        let records = (before..before + self.pages[number])
            .map(|record| json!({"id": format!("{}-{record}", self.prefix), "name": "a record"}));
        let response = page(records, self.cursors.get(number).cloned());
        match self.pages[number] {
            0 => (Extension(Fault("empty_page")), response)
                .into_response()
                .into(),
            _ => response.into(),
        }
    }

    fn goal(&self) -> Goal {
        Goal::result(json!({"records": RECORDS}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_draw_has_seven_records_and_an_empty_page_between_others() {
        for case in 0..50 {
            let drawn = ReadAll::new(&mut Draw::new(7, "read-all", case));

            assert_eq!(drawn.pages.iter().sum::<usize>(), RECORDS);
            let empty = drawn.pages.iter().position(|records| *records == 0);
            assert!((1..drawn.pages.len() - 1).contains(&empty.expect("one")));
        }
    }
}
