//! A listing is read to its end, page by page.

use axum::{Extension, response::IntoResponse};
use judge::rules::{cursor_verbatim, empty_page, no_url_credentials};
use serde_json::json;

use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{page, unknown_cursor},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "read-all",
        path: "/items",
        request: "GET, listing",
        text: "GET the URL for a page: {\"items\": […], \"next_cursor\": …}. GET the next page \
               with ?cursor= and the next_cursor, until it is null. An item is an object. Send the \
               token in LAB_TOKEN as a bearer token. Print the number of items.",
        goal: r#"{"records": n}"#,
        hint: "A cursor may contain any character: percent-encode it as a query value. A page may \
               be empty without being the last.",
        scenario: "items",
        ..PLAIN.words
    },
    rules: &[
        &cursor_verbatim::RULE,
        &empty_page::RULE,
        &no_url_credentials::RULE,
    ],
    cases: &[Case::new("pages of records, one of them empty", |draw| {
        Box::new(ReadAll::new(draw))
    })],
    has_token: true,
    ..PLAIN
};

/// Pages, and the cursors that lead to all but the first.
struct ReadAll {
    pages: Vec<usize>,
    cursors: Vec<String>,
    prefix: String,
    /// Whether the last page was served.
    is_read: bool,
}

impl ReadAll {
    fn new(draw: &mut Draw) -> Self {
        // The empty page is never the first or the last: it looks like the end of the
        // listing and is not.
        let mut pages = [(); 4].map(|()| draw.number(1..=4) as usize).to_vec();
        pages.insert(draw.number(1..=3) as usize, 0);
        let mut cursors: Vec<_> = (2..pages.len()).map(|_| draw.cursor()).collect();
        let twin = cursors.first_mut().map(alternate).unwrap_or_default();
        cursors.insert(draw.number(1..=3) as usize, twin);
        Self {
            cursors,
            prefix: draw.word(4),
            pages,
            is_read: false,
        }
    }
}

/// Makes every second letter of a cursor a capital, and returns the cursor with the others
/// as capitals: two cursors that differ only in letter case, and neither in lower case.
fn alternate(cursor: &mut String) -> String {
    let with_capitals = |offset| {
        let signs = cursor.chars().enumerate();
        let signs = signs.map(|(place, sign)| {
            if place % 2 == offset {
                sign.to_ascii_uppercase()
            } else {
                sign
            }
        });
        signs.collect::<String>()
    };
    let twin = with_capitals(1);
    *cursor = with_capitals(0);
    twin
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
        self.is_read |= number + 1 == self.pages.len();
        let response = page(records, self.cursors.get(number).cloned());
        match self.pages[number] {
            0 => (Extension(empty_page::EMPTY_PAGE), response)
                .into_response()
                .into(),
            _ => response.into(),
        }
    }

    fn goal(&self) -> Goal {
        let records: usize = self.pages.iter().sum();
        Goal::result_of(self.is_read.then(|| json!({"records": records})))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_draw_has_an_empty_page_between_others_and_cursors_that_differ_in_case() {
        let mut counts = HashSet::new();
        for case in 0..50 {
            let drawn = ReadAll::new(&mut Draw::new(7, "read-all", case));

            counts.insert(drawn.pages.iter().sum::<usize>());
            let empty = drawn.pages.iter().position(|records| *records == 0);
            assert!((1..drawn.pages.len() - 1).contains(&empty.expect("one")));
            let lower = drawn
                .cursors
                .iter()
                .map(|cursor| cursor.to_ascii_lowercase());
            let lower: HashSet<_> = lower.collect();
            assert_eq!((drawn.cursors.len(), lower.len()), (4, 3));
            let kept = drawn
                .cursors
                .iter()
                .filter(|cursor| lower.contains(*cursor));
            assert_eq!(kept.count(), 2, "neither of the two is in lower case");
        }
        assert!(counts.len() > 5, "{counts:?}");
    }

    #[test]
    fn the_goal_rests_on_the_last_page() {
        let mut drawn = ReadAll::new(&mut Draw::new(7, "read-all", 0));
        let mut request = Received::of("/items");

        for cursor in drawn.cursors.clone() {
            drawn.respond(&request);
            assert_eq!(drawn.goal(), Goal::result_of([]));
            request.set_cursor(Some(cursor));
        }
        drawn.respond(&request);

        let records: usize = drawn.pages.iter().sum();
        assert_eq!(drawn.goal(), Goal::result(json!({"records": records})));
    }
}
