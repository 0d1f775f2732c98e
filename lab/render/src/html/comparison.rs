//! The effects of two runs, as part of a report.

use evidence::compare::{Compared, Effect};
use maud::{Markup, html as markup};

/// The effects of two runs as a table, with the findings about them.
pub(super) fn effects(compared: &Compared, lab: &str) -> Markup {
    markup! {
        section aria-labelledby="effects" {
            h2 #effects { "Effects of each client" }
            div.wide role="region" aria-labelledby="measured" tabindex="0" {
                table.effects {
                    caption #measured { "Measured on the two runs" }
                    thead { tr {
                        th scope="col" { "Effect" }
                        @for side in &compared.sides { th scope="col" { (side.client.column()) } }
                        th scope="col" { "" }
                    } }
                    tbody { @for effect in &compared.effects { (row(effect)) } }
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
}

fn row(effect: &Effect) -> Markup {
    markup! {
        tr.differs[effect.differs] {
            th scope="row" { (effect.label) }
            @for side in &effect.sides { td { (side.text) } }
            td { @if effect.differs { "differs" } }
        }
    }
}
