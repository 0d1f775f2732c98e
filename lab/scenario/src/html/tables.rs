//! The evidence behind a verdict as tables: the requests on the wire, and the counters
//! that changed.

use maud::{Markup, html};
use render::{
    Table,
    page::{self, wide_table},
};
use wire::counted;

use super::Side;
use crate::{Metric, Rise, ScenarioRun};

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
    let table = &run.view.requests;
    let is_named = table
        .columns
        .iter()
        .any(|column| NAMED.contains(&column.title));
    html! {
        section.panel aria-labelledby=(id) {
            h2 id=(id) { (title) }
            @if !run.view.facts.0.is_empty() {
                ul.said { @for fact in &run.view.facts.0 { li { (fact) } } }
            }
            @if table.rows.is_empty() {
                p { "No request reached the service." }
            } @else {
                details.listed {
                    summary { (counted(table.rows.len() as u64, "request")) }
                    (page::table(None, (&caption, &words), &without_middle(table)))
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

/// The caption of the counters.
const CHANGES: &str = "The changes by this run, under their names in /metrics";

/// The counters that changed.
pub(super) fn counters(sides: &[Side<'_>], metrics: &[Metric]) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    let changed = sides.iter().flat_map(|side| &side.view.counters);
    for rise in changed.filter(|rise| rise.change != "0") {
        if !names.contains(&&*rise.name) {
            names.push(&rise.name);
        }
    }
    let changes = sides.iter().map(|side| match sides.len() {
        1 => ("change", true),
        _ => (side.client.column(), true),
    });
    let titles = [("counter", false)].into_iter().chain(changes);
    let titles = titles.chain([("what it answers", false)]);
    html! {
        section.panel aria-labelledby="counters" {
            h2 #counters { "Counters" }
            (wide_table(Some("counters"), ("moved", CHANGES), titles, html! {
                tbody {
                    @for name in names {
                        tr {
                            th scope="row" { code { (name) } }
                            @for side in sides {
                                td.number { (change(side.view.counters.iter().find(|rise| rise.name == name))) }
                            }
                            td { (question(name, metrics)) }
                        }
                    }
                }
            }))
        }
    }
}

/// How much a counter rose, and for which reasons.
fn change(rise: Option<&Rise>) -> Markup {
    html! {
        b { (rise.map_or("0", |rise| &rise.change)) }
        @for part in rise.into_iter().flat_map(|rise| &rise.parts) {
            span.label { (part.kind) " " (part.change) }
        }
    }
}

/// The question that a metric answers, which is also its help text.
fn question(name: &str, metrics: &[Metric]) -> &'static str {
    let known = metrics.iter().find(|metric| metric.name == name);
    known.map_or("", |metric| metric.question)
}
