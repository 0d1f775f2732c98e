//! The evidence behind a verdict as tables: the requests on the wire, and the counters
//! that changed.

use maud::{Markup, html};
use render::page::{columns, wide_table};

use super::{Side, exchange};
use crate::{Counter, Metric, risen};
/// The requests, with the columns that at least one of them fills.
pub(super) fn wire(side: &Side<'_>) -> Markup {
    let (id, caption) = (side.id("wire"), side.id("requests"));
    let wire = &side.run.wire;
    let table = &side.run.view.requests;
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (side.title("On the wire")) }
            (wide_table(None, (&caption, "Every request as the service saw it"), columns(table), html! {
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (column, cell) in table.columns.iter().zip(&row.cells) {
                                td.number[column.number] { (cell.as_deref().unwrap_or("—")) }
                            }
                        }
                    }
                    @if table.rows.is_empty() {
                        tr { td colspan=(table.columns.len()) { "No request reached the service." } }
                    }
                }
            }))
            @if table.columns.iter().any(|column| NAMED.contains(&column.title)) {
                p.remark {
                    "Keys, cursors and bodies have names in the order of first sight: their \
                     values are not kept."
                }
            }
            @if wire.dropped > 0 {
                p.remark { (wire.dropped) " earlier requests are counted but no longer listed." }
            }
            @if !side.run.view.facts.0.is_empty() {
                ul.said { @for fact in &side.run.view.facts.0 { li { (fact) } } }
            }
            (exchange::exchanges(side))
        }
    }
}

/// The columns whose cells hold a name instead of a value.
const NAMED: [&str; 3] = ["key", "cursor", "body"];

/// The caption of the counters.
const CHANGES: &str = "The changes by this run, under their names in /metrics";

/// The counters that changed, and those that every run shows.
pub(super) fn counters(side: &Side<'_>, metrics: &[Metric]) -> Markup {
    let (id, caption) = (side.id("counters"), side.id("moved"));
    let run = side.run;
    let headlines = run.client.headlines.iter();
    let unmoved = headlines.filter(|name| run.counters.total(name) == 0);
    let unmoved = unmoved.map(|name| Counter {
        name: (*name).to_owned(),
        labels: Default::default(),
        value: 0,
    });
    let titles = [
        ("counter", false),
        ("change", true),
        ("what it answers", false),
    ];
    let counters: Vec<_> = run.counters.iter().cloned().chain(unmoved).collect();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (side.title("Counters")) }
            (wide_table(Some("counters"), (&caption, CHANGES), titles, html! {
                tbody {
                    @for counter in &counters {
                        tr {
                            th scope="row" {
                                code { (counter.name) }
                                @for (label, value) in &counter.labels {
                                    " " span.label { (label) "=" b { (value) } }
                                }
                            }
                            td.number { (risen(counter.value)) }
                            td { (question(&counter.name, metrics)) }
                        }
                    }
                }
            }))
        }
    }
}

/// The question that a metric answers, which is also its help text.
fn question(name: &str, metrics: &[Metric]) -> &'static str {
    let known = metrics.iter().find(|metric| metric.name == name);
    known.map_or("", |metric| metric.question)
}
