//! The newest card in a few signs, for the overview.

use grade::{Card, TASKS, TaskGrade};
use judge::{KnownFailures, rules::Verdict};
use maud::{Markup, html};
use render::page::class_and_mark;

use super::{
    PATH,
    cards::{CardState, ShownCard},
    table::RuleCounts,
};
use crate::{
    invocation::lab,
    web::{modes::Modes, shared::Shared},
};

/// The way to *Your client* from the overview: its newest card in a few signs, or how to start.
pub(crate) fn door(shared: &Shared, modes: Modes) -> Markup {
    let lab = lab();
    let shown = shared.client.shown();
    let aside = if shown.is_some() {
        "its card"
    } else {
        "how to start"
    };
    html! {
        section.panel aria-labelledby="door-client" {
            header {
                h2 #door-client { "Your client" }
                a.aside href=(modes.link(PATH)) { (aside) }
            }
            @match shown {
                Some(shown) => (summary(&shown)),
                None => {
                    p { "Any language, " (TASKS.len()) " tasks. Write one, and grade it:" }
                    p { code { (lab) " starter python" } }
                    p { code { (lab) " grade -- python3 client.py" } }
                }
            }
        }
    }
}

fn summary(shown: &ShownCard) -> Markup {
    let card: &Card = &shown.card;
    let broken = RuleCounts::of(&card.tasks).broken;
    let next = shown.next().and_then(|next| TASKS.get(next));
    html! {
        p {
            @if shown.state == CardState::Running { span.late aria-hidden="true" { "◷ " } }
            b { (card.reached()) " of " (TASKS.len()) } " goals" @if broken > 0 { ", " span.no { "✗ " (broken) " broken" } }
        }
        (boxes(shown, false))
        @match next {
            Some(task) => p { "Next: " b { (task.words.name) } },
            None => p { "All tasks are done" },
        }
    }
}

/// The class and the sign of a task, and what they mean.
fn sign(grade: &TaskGrade) -> (&'static str, &'static str, &'static str) {
    let is_good = grade.result(&KnownFailures::default()).is_good();
    let (class, mark) = class_and_mark(is_good);
    match is_good {
        Some(true) if grade.with_verdict(Verdict::CannotTell).next().is_some() => {
            ("soft", "?", "done, and a rule cannot be told")
        }
        Some(true) => (class, mark, "done"),
        Some(false) => (class, mark, "not done"),
        None => (class, mark, "open"),
    }
}

/// Each task with its sign, and with its name if that `is_named`.
pub(super) fn boxes(shown: &ShownCard, is_named: bool) -> Markup {
    html! {
        ol.boxes {
            @for task in TASKS {
                @let name = task.words.name;
                @let newest = shown.newest(task);
                @let (class, mark, words) = newest.map_or(("soft", "·", "open"), sign);
                li class=(class) title=[(!is_named).then_some(name)] {
                    span role="img" aria-label={ (name) ": " (words) } { (mark) }
                    @if is_named { " " (name) }
                }
            }
        }
    }
}
