//! The evidence behind a verdict as tables: the requests on the wire, and the counters
//! that changed.

use evidence::{Counter, Metric, plot::Table, risen};
use maud::{Markup, html};

use super::{Side, exchange};

/// The requests, with the columns that at least one of them fills.
pub(super) fn wire(side: &Side<'_>) -> Markup {
    let (id, caption) = (side.id("wire"), side.id("requests"));
    let wire = &side.run.wire;
    let Table { columns, rows } = &side.run.view.requests;
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (side.title("On the wire")) }
            div.wide role="region" aria-labelledby=(caption) tabindex="0" {
                table {
                    caption id=(caption) { "Every request as the service saw it" }
                    thead { tr {
                        @for column in columns {
                            th.number[column.number] scope="col" { (column.title) }
                        }
                    } }
                    tbody {
                        @for row in rows {
                            tr {
                                @for (column, cell) in columns.iter().zip(&row.cells) {
                                    td.number[column.number] { (cell.as_deref().unwrap_or("—")) }
                                }
                            }
                        }
                        @if rows.is_empty() {
                            tr { td colspan=(columns.len()) { "No request reached the service." } }
                        }
                    }
                }
            }
            @if columns.iter().any(|column| NAMED.contains(&column.title)) {
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

/// The counters that changed, and those that every run shows.
pub(super) fn counters(side: &Side<'_>, metrics: &[Metric]) -> Markup {
    let (id, caption) = (side.id("counters"), side.id("moved"));
    let run = side.run;
    let unmoved = run
        .client
        .headlines
        .iter()
        .map(|counter| run.client.counter(counter))
        .filter(|name| run.counters.total(name) == 0)
        .map(|name| Counter {
            name: name.into_owned(),
            labels: Default::default(),
            value: 0,
        });
    let counters: Vec<_> = run.counters.iter().cloned().chain(unmoved).collect();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (side.title("Counters")) }
            div.wide role="region" aria-labelledby=(caption) tabindex="0" {
                table.counters {
                    caption id=(caption) { "The changes by this run, under their names in /metrics" }
                    thead { tr {
                        th scope="col" { "counter" }
                        th.number scope="col" { "change" }
                        th scope="col" { "what it answers" }
                    } }
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
                }
            }
        }
    }
}

/// The question that a metric answers, which is also its help text.
fn question(name: &str, metrics: &[Metric]) -> &'static str {
    let known = metrics.iter().find(|metric| metric.name == name);
    known.map_or("", |metric| metric.question)
}
