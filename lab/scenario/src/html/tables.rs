//! The requests on the wire as a table.

use maud::{Markup, html};
use render::{Table, page};
use wire::counted;

use crate::{ScenarioRun, wire_facts::wire_facts, wire_table};

/// The columns whose cells hold a name instead of a value.
const NAMED: [&str; 3] = ["key", "cursor", "body"];

/// The most rows of the requests.
const MOST: usize = 100;

/// The requests, with the columns that at least one of them fills.
pub(super) fn wire(run: &ScenarioRun, is_of_several: bool) -> Markup {
    let (title, of) = if is_of_several {
        let title = format!("On the wire · {}", run.client.name);
        (title, format!("Every request of {}", run.client.title()))
    } else {
        ("On the wire".to_owned(), "Every request".to_owned())
    };
    let words = format!("{of} as the service saw it; times count from the start of the run");
    let [id, caption] = ["wire", "requests"].map(|part| format!("{part}-{}", run.client.name));
    let table = wire_table::of_run(&run.wire);
    let facts = wire_facts(&run.wire);
    let is_named = table
        .columns
        .iter()
        .any(|column| NAMED.contains(&column.title));
    html! {
        section.panel aria-labelledby=(id) {
            h2 id=(id) { (title) }
            @if !facts.is_empty() {
                ul.said { @for fact in &facts { li { (fact) } } }
            }
            @if table.rows.is_empty() {
                p { "No request reached the service." }
            } @else {
                details.listed {
                    summary { (counted(table.rows.len() as u64, "request")) }
                    (page::table(None, (&caption, &words), &without_middle(&table)))
                    @if table.rows.len() > MOST {
                        p.remark {
                            (table.rows.len() - MOST) " requests in the middle are not listed here."
                        }
                    }
                }
            }
            @if is_named {
                p.remark {
                    "Keys, cursors and bodies have names in the order of first sight: their \
                     values are not kept."
                }
            }
            @if run.wire.dropped > 0 {
                p.remark { (run.wire.dropped) " earlier requests are counted but no longer listed." }
            }
        }
    }
}

/// The first and the last rows of a long table, as the picture shows them.
fn without_middle(table: &Table) -> Table {
    let rows = table.rows.iter().enumerate();
    let rows = rows.filter(|(place, _)| *place < MOST / 2 || place + MOST / 2 >= table.rows.len());
    Table {
        columns: table.columns.clone(),
        rows: rows.map(|(_, row)| row.clone()).collect(),
    }
}
