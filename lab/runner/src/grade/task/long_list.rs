//! A long listing, and one without an end.

use std::time::Duration;

use axum::{Extension, response::IntoResponse};
use evidence::grade::{Goal, TaskWords};
use host::Fault;
use serde_json::json;

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{page, unknown_cursor},
};

/// The pages of the long listing.
const PAGES: usize = 60;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "long-list",
        path: "/items",
        request: "GET, listing",
        text: "Read the listing as in read-all. It has sixty pages; read all of them. \
               Another listing never ends: print an error there, {\"error\": …}, or exit with a \
               code other than 0.",
        goal: r#"{"records": n}, and {"error": "…"}"#,
        hint: "Every page is valid and every cursor is new, so only a limit ends the second \
               listing. No finite listing here has more than a hundred pages.",
        scenario: "endless-items",
        // A slow client reads 200 pages in 12 s.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    rules: &["reads-to-the-end", "page-limit"],
    cases: &[
        Case::new("sixty pages", |draw| {
            Box::new(LongList::new(draw, Some(PAGES)))
        }),
        Case::new("pages without an end", |draw| {
            Box::new(LongList::new(draw, None))
        }),
    ],
    ..PLAIN
};

/// Pages, made when they are asked for.
struct LongList {
    /// How many there are, if they have an end.
    pages: Option<usize>,
    /// How many records each page has.
    records: Vec<u64>,
    cursors: Vec<String>,
    draw: Draw,
}

impl LongList {
    fn new(draw: &mut Draw, pages: Option<usize>) -> Self {
        let mut list = Self {
            pages,
            records: Vec::new(),
            cursors: Vec::new(),
            draw: draw.apart(),
        };
        for _ in 0..pages.unwrap_or(1) {
            list.add_page();
        }
        list
    }

    /// Adds a page, and to the one before it the cursor that leads there.
    fn add_page(&mut self) {
        if !self.records.is_empty() {
            self.cursors.push(self.draw.cursor());
        }
        self.records.push(self.draw.number(1..=5));
    }
}

impl Responder for LongList {
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a page for every cursor, and one more"
    )]
    fn respond(&mut self, request: &Received) -> Reply {
        let Some(number) = request.page(&self.cursors) else {
            return unknown_cursor().into();
        };
        if self.pages.is_none() && number == self.cursors.len() {
            self.add_page();
        }
        let records = (0..self.records[number])
            .map(|it| json!({"id": format!("{number}-{it}"), "name": "a record"}));
        let response = page(records, self.cursors.get(number).cloned());
        match self.pages {
            Some(_) => response.into(),
            None => (Extension(Fault("endless_items")), response)
                .into_response()
                .into(),
        }
    }

    fn goal(&self) -> Goal {
        match self.pages {
            Some(_) => Goal::result(json!({"records": self.records.iter().sum::<u64>()})),
            None => Goal::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use host::NextCursor;

    use super::*;

    /// The cursors of a listing that is read to its end, or to so many pages.
    fn read(list: &mut LongList, most: usize) -> Vec<String> {
        let mut request = Received::of("/items");
        let mut cursors = Vec::new();
        for _ in 0..most {
            let response = list.respond(&request).response;
            let NextCursor(next) = response.extensions().get().expect("a page");
            let Some(next) = next else { break };
            request.cursor = Some(next.clone());
            cursors.push(next.clone());
        }
        cursors
    }

    #[test]
    fn one_has_sixty_pages_and_the_other_always_another_cursor() {
        let mut draw = Draw::new(7, "long-list", 0);
        for (pages, read_on) in [(Some(PAGES), PAGES - 1), (None, 200)] {
            let mut list = LongList::new(&mut draw, pages);

            let cursors = read(&mut list, 200);

            assert_eq!(cursors.len(), read_on);
            assert_eq!(cursors.iter().collect::<HashSet<_>>().len(), read_on);
            assert!(list.records.iter().all(|records| *records > 0));
        }
    }
}
