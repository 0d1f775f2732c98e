//! A long listing, and one without an end.

use std::time::Duration;

use axum::{Extension, response::IntoResponse};
use host::FaultLabel;
use serde_json::json;

use super::{Case, PLAIN, Responder, Task};
use crate::{
    Goal, TaskWords,
    draw::Draw,
    fixed_goal::fixed_goal,
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
        Case::new("sixty pages", |draw| listing(draw, Some(PAGES))),
        Case::new("pages without an end", |draw| listing(draw, None)),
    ],
    ..PLAIN
};

/// So many pages; without a number they have no end, and are made when they are asked for.
#[expect(
    clippy::indexing_slicing,
    reason = "there is a page for every cursor, and one more"
)]
fn listing(draw: &mut Draw, pages: Option<usize>) -> Box<dyn Responder> {
    let mut draw = draw.apart();
    let (mut records, mut cursors) = (vec![draw.number(1..=5)], Vec::new());
    let mut add_page = move |records: &mut Vec<u64>, cursors: &mut Vec<String>| {
        cursors.push(draw.cursor());
        records.push(draw.number(1..=5));
    };
    for _ in 1..pages.unwrap_or(1) {
        add_page(&mut records, &mut cursors);
    }
    let goal = match pages {
        Some(_) => Goal::result(json!({"records": records.iter().sum::<u64>()})),
        None => Goal::Error,
    };
    fixed_goal(goal, move |request| {
        let Some(number) = request.page(&cursors) else {
            return unknown_cursor();
        };
        if pages.is_none() && number == cursors.len() {
            add_page(&mut records, &mut cursors);
        }
        let records = (0..records[number])
            .map(|it| json!({"id": format!("{number}-{it}"), "name": "a record"}));
        let response = page(records, cursors.get(number).cloned());
        match pages {
            Some(_) => response,
            None => (Extension(FaultLabel("endless_items")), response).into_response(),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use host::NextCursor;

    use super::*;
    use crate::task::Received;

    /// The cursors of a listing that is read to its end, or to so many pages.
    fn read(list: &mut dyn Responder, most: usize) -> Vec<String> {
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
            let mut list = listing(&mut draw, pages);

            let cursors = read(&mut *list, 200);

            assert_eq!(cursors.len(), read_on);
            assert_eq!(cursors.iter().collect::<HashSet<_>>().len(), read_on);
        }
    }
}
