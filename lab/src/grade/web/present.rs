//! A card in a presentation: first its tasks, then one task with what changed.

use maud::{Markup, html};

use super::{
    cards::ShownCard,
    page::{ClientPage, task_panel, what_changed},
    summary::boxes,
    table::totals,
};
use crate::web::steps::Links;

/// The steps: all tasks, and one of them.
const STEPS: usize = 2;

impl ClientPage<'_> {
    /// A step, and the links to the other one. The task is that of the address, so that it stays
    /// when it is done, or else the next one.
    pub(super) fn presented(&self, shown: &ShownCard) -> (Markup, Option<Markup>) {
        let number = self.step.unwrap_or(1).clamp(1, STEPS);
        let (next, task) = self.next_and_chosen(shown);
        let main = html! {
            div.titled {
                h1 { "Your client" }
                (self.state(shown))
            }
            (self.notices(shown))
            @match task.filter(|_| number == STEPS) {
                Some(task) => {
                    (what_changed(shown, self.modes))
                    (task_panel(shown, task, next, &self.modes))
                }
                None => {
                    (totals(&shown.card))
                    (boxes(shown, true))
                }
            }
        };
        let links = Links {
            said: html! {},
            modes: self.modes,
            number,
            of: STEPS,
            result: Some(self.address()),
            question: self.address(),
            waits_for_guess: false,
        };
        (main, Some(links.draw()))
    }
}
