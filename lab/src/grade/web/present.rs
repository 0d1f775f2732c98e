//! A card in a presentation: its numbers, and then one task that is not done in each step.

use maud::{Markup, html};

use super::{
    PATH,
    cards::ShownCard,
    page::{open_tasks, task_panel},
    summary::boxes,
    table::totals,
};
use crate::web::modes::{Address, Modes};

/// A step, from 1, and the links to the others.
pub(super) fn step(
    shown: &ShownCard,
    step: Option<usize>,
    modes: Modes,
) -> (Markup, Option<Markup>) {
    let open = open_tasks(shown);
    let of = open.len() + 1;
    let number = step.unwrap_or(1).clamp(1, of);
    let task = number.checked_sub(2).and_then(|place| open.get(place));
    let main = html! {
        h1 { "Your client" }
        @match task {
            Some(task) => (task_panel(shown, task, open.first().copied(), &modes)),
            None => {
                (totals(&shown.card))
                (boxes(shown, true))
            }
        }
    };
    (main, Some(links(number, of, modes)))
}

/// The links to the steps before and after.
fn links(number: usize, of: usize, modes: Modes) -> Markup {
    let step = |number: usize| {
        let is_step = (1..=of).contains(&number);
        is_step.then(|| modes.link(Address::new(PATH).with("step", number.to_string())))
    };
    let link = |href: Option<String>, words: &str, key: &str| {
        html! {
            @match href {
                Some(href) => a.button href=(href) aria-keyshortcuts=(key) { (words) },
                None => span.button aria-disabled="true" { (words) },
            }
        }
    };
    html! {
        span.grow {}
        span.soft.step { (number) " of " (of) }
        (link(step(number - 1), "‹ Previous", "ArrowLeft"))
        (link(step(number + 1), "Next ›", "ArrowRight"))
    }
}
