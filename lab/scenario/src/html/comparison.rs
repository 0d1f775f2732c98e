//! The effects of two runs, as part of a report.

use maud::{Markup, html as markup};
use render::page::wide_table;

use crate::{Compared, compare::Effect};
/// The effects of two runs as a table, with the findings about them.
pub(super) fn effects(compared: &Compared, lab: &str) -> Markup {
    let [one, other] = compared.sides.each_ref().map(|side| side.client.column());
    let titles = ["Effect", one, other, ""].map(|title| (title, false));
    markup! {
        section aria-labelledby="effects" {
            h2 #effects { "Effects of each client" }
            (wide_table(Some("effects"), ("measured", "Measured on the two runs"), titles, markup! {
                tbody { @for effect in &compared.effects { (row(effect)) } }
            }))
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
