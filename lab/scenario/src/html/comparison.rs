//! The figure that differs between two runs, their effects, and the expectations of both.

use maud::{Markup, html};
use render::page::{class_and_mark, wide_table};

use crate::{
    Compared,
    compare::{ComparedCheck, Effect, Stake},
};

/// The figure of one run, with its sign. It is never a good one if the run did harm.
pub(super) fn stake(stake: &Stake) -> Markup {
    let (class, mark) = class_and_mark(Some(!stake.did_harm));
    html! {
        p class={ "stake " (class) } {
            b { (stake.figure) }
            span { span.sign role="img" aria-label=(if stake.did_harm { "did harm" } else { "as expected" }) { (mark) } " " (stake.words) }
        }
    }
}

/// The effects and the expectations as tables.
pub(super) fn effects(compared: &Compared, names: [&str; 2]) -> Markup {
    let [one, other] = names;
    let titles = ["Effect", one, other, "Equal?"].map(|title| (title, false));
    let expected = ["Expectation", one, other].map(|title| (title, false));
    html! {
        (wide_table(Some("effects"), ("measured", "The effects of the two clients"), titles, html! {
            tbody { @for effect in &compared.effects { (row(effect)) } }
        }))
        (wide_table(Some("effects"), ("expected", "The expectations of both"), expected, html! {
            tbody { @for check in &compared.checks { (expectation(check)) } }
        }))
    }
}

fn row(effect: &Effect) -> Markup {
    html! {
        tr.differs[effect.differs] {
            th scope="row" { (effect.label) }
            @for side in &effect.sides { td { (side) } }
            td { @if effect.differs { "differs" } @else { "equal" } }
        }
    }
}

fn expectation(check: &ComparedCheck) -> Markup {
    html! {
        tr {
            th scope="row" { (check.text) }
            @for (held, found) in check.held.iter().zip(&check.found) {
                @let (class, mark) = class_and_mark(*held);
                @let words = match held {
                    Some(true) => "held",
                    Some(false) => "did not hold",
                    None => "not exercised",
                };
                td class=(class) {
                    span.sign role="img" aria-label=(words) { (mark) }
                    @if let Some(found) = found { " " (found) }
                }
            }
        }
    }
}
