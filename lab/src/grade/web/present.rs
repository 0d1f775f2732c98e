//! A card in a presentation: its numbers, and then one task that is not done in each step.

use maud::{Markup, html};

use super::{
    PATH,
    cards::ShownCard,
    page::{open_tasks, task_panel},
    summary::boxes,
    table::totals,
};
use crate::web::{
    modes::{Address, Modes},
    steps::Links,
};

/// A step, from 1, below what a reader must know before the verdicts, and the links to the others.
pub(super) fn step(
    shown: &ShownCard,
    step: Option<usize>,
    modes: Modes,
    notices: &Markup,
) -> (Markup, Option<Markup>) {
    let open = open_tasks(shown);
    let of = open.len() + 1;
    let number = step.unwrap_or(1).clamp(1, of);
    let task = number.checked_sub(2).and_then(|place| open.get(place));
    let main = html! {
        h1 { "Your client" }
        (notices)
        @match task {
            Some(task) => (task_panel(shown, task, open.first().copied(), &modes)),
            None => {
                (totals(&shown.card))
                (boxes(shown, true))
            }
        }
    };
    let links = Links {
        said: html! {},
        modes,
        number,
        of,
        result: Some(Address::new(PATH)),
        question: Address::new(PATH),
        waits_for_guess: false,
    };
    (main, Some(links.draw()))
}
