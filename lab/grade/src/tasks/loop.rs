//! A listing whose cursors repeat in a loop.

use judge::rules::cursor_loop;
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
        name: "loop",
        path: "/items",
        request: "GET, listing",
        text: "Read the listing as in read-all. Its first pages are fine, but it comes back to a page: print \
               an error, {\"error\": …}, or exit with a code other than 0.",
        goal: r#"{"error": "…"}"#,
        hint: "No two cursors in a row are equal, and still a cursor repeats. What do you have to \
               remember to notice that?",
        scenario: "looping-items",
        ..PLAIN.words
    },
    rules: &[&cursor_loop::RULE],
    cases: &[Case::new(
        "two cursors in turn, after a healthy start",
        |draw| Box::new(Loop::new(draw)),
    )],
    ..PLAIN
};

/// The pages of the loop.
const CIRCLE: usize = 2;

/// Cursors, of which the last ones repeat in a loop.
struct Loop {
    cursors: Vec<String>,
    prefix: String,
    /// Whether a page was served whose cursor leads back.
    is_closed: bool,
}

impl Loop {
    fn new(draw: &mut Draw) -> Self {
        let healthy = draw.number(1..=3) as usize;
        Self {
            cursors: (0..healthy + CIRCLE).map(|_| draw.cursor()).collect(),
            prefix: draw.word(4),
            is_closed: false,
        }
    }

    /// The cursor on the page of this number, the first being 0.
    #[expect(
        clippy::indexing_slicing,
        reason = "no more are gone back than there are"
    )]
    fn next(&self, page: usize) -> &str {
        let last = self.cursors.len();
        let place = if page < last { page } else { last - CIRCLE };
        &self.cursors[place]
    }
}

impl Responder for Loop {
    fn respond(&mut self, request: &Received) -> Reply {
        let Some(number) = request.page(&self.cursors) else {
            return unknown_cursor().into();
        };
        self.is_closed |= number >= self.cursors.len();
        let record = json!({"id": format!("{}-{number}", self.prefix), "name": "a record"});
        page([record], Some(self.next(number).to_owned())).into()
    }

    fn goal(&self) -> Goal {
        if self.is_closed {
            Goal::Error
        } else {
            Goal::result_of([])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cursors_alternate_after_a_healthy_start() {
        for case in 0..20 {
            let drawn = Loop::new(&mut Draw::new(7, "loop", case));

            let mut page = 0;
            let read = (0..9).map(|_| {
                let cursor = drawn.next(page);
                let place = drawn.cursors.iter().position(|known| known == cursor);
                page = place.expect("it issued it") + 1;
                cursor
            });
            let read: Vec<_> = read.collect();

            let (start, circle) = read.split_at(drawn.cursors.len() - CIRCLE);
            assert!(!start.is_empty() && start.iter().all(|cursor| !circle.contains(cursor)));
            assert!(
                circle
                    .iter()
                    .zip(&circle[CIRCLE..])
                    .all(|(first, again)| first == again)
            );
            assert_ne!(circle[0], circle[1]);
        }
    }
}
