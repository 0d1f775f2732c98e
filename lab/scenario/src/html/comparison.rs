//! The effects of two runs.

use maud::{Markup, html};
use render::page::wide_table;

use crate::{
    Compared,
    compare::{BrokenRule, Effect},
};

/// The effects as a table, the findings about them, and the rules that each client broke.
pub(super) fn effects(compared: &Compared, lab: &str) -> Markup {
    let [one, other] = compared.sides.each_ref().map(|side| side.client.column());
    let titles = ["Effect", one, other, "Equal?"].map(|title| (title, false));
    html! {
        (wide_table(Some("effects"), ("measured", "The effects of the two clients"), titles, html! {
            tbody { @for effect in &compared.effects { (row(effect)) } }
        }))
        @for side in &compared.sides {
            @if !side.broken.is_empty() {
                h3 { "Rules that " (side.title) " broke" }
                ul.checks { @for rule in &side.broken { (broken(rule)) } }
            }
        }
        @for remark in &compared.remarks {
            p.remark {
                (remark.text)
                @if let Some(command) = remark.command { " " code { (lab) " " (command) } }
            }
        }
    }
}

fn row(effect: &Effect) -> Markup {
    html! {
        tr.differs[effect.differs] {
            th scope="row" { (effect.label) }
            @for side in &effect.sides { td { (side.text) } }
            td { @if effect.differs { "differs" } @else { "equal" } }
        }
    }
}

fn broken(rule: &BrokenRule) -> Markup {
    html! {
        li.failed {
            span.sign aria-hidden="true" { "✗" }
            span.source { (rule.id) }
            span {
                @if let Some(found) = &rule.found {
                    strong { (found) }
                    span.label { "The rule: " (rule.text) }
                } @else {
                    (rule.text)
                }
            }
        }
    }
}
