//! The evidence behind a verdict as tables: what the wire saw, and which
//! counters moved.

use evidence::{Counter, Metric, WireRequest, duration, duration_left};
use maud::{Markup, html};

use super::{super::words::risen, Side};

/// The ledger. What no request carried gets no column.
pub(super) fn wire(side: &Side<'_>) -> Markup {
    let (id, caption) = (side.id("wire"), side.id("ledger"));
    let ledger = &side.run.ledger;
    let columns: Vec<_> = COLUMNS
        .iter()
        .filter(|(_, needed, cell)| {
            *needed || ledger.entries.iter().any(|entry| cell(entry).is_some())
        })
        .collect();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (side.title("On the wire")) }
            div.wide role="region" aria-labelledby=(caption) tabindex="0" {
                table {
                    caption id=(caption) { "Every request as the service saw it" }
                    thead { tr {
                        th.number scope="col" { "#" }
                        @for (name, ..) in &columns { th scope="col" { (name) } }
                    } }
                    tbody {
                        @for entry in &ledger.entries {
                            tr {
                                th.number scope="row" { (entry.seq) }
                                @for (.., cell) in &columns {
                                    td { (cell(entry).unwrap_or_else(|| "—".to_owned())) }
                                }
                            }
                        }
                        @if ledger.entries.is_empty() {
                            tr { td colspan=(columns.len() + 1) { "No request reached the service." } }
                        }
                    }
                }
            }
            @if columns.iter().any(|(name, ..)| FINGERPRINTS.contains(name)) {
                p.remark { "Of keys, cursors and bodies the service keeps a fingerprint only." }
            }
            @if ledger.dropped > 0 {
                p.remark { (ledger.dropped) " earlier requests are counted but no longer listed." }
            }
        }
    }
}

/// A column of the ledger: its name, whether it is shown even if it is empty,
/// and what it holds.
type Column = (&'static str, bool, fn(&WireRequest) -> Option<String>);

const COLUMNS: [Column; 9] = [
    ("arrived", true, |entry| Some(duration(entry.arrived))),
    ("request", true, |entry| {
        Some(format!("{} {}", entry.method, entry.route))
    }),
    ("answered", true, |entry| {
        Some(
            entry
                .status
                .map_or_else(|| "nothing".to_owned(), |status| status.to_string()),
        )
    }),
    ("Retry-After", false, |entry| {
        Some(entry.retry_after?.to_string())
    }),
    ("too early by", false, |entry| {
        entry.early.map(duration_left)
    }),
    ("key", false, |entry| {
        Some(entry.idempotency_key.as_ref()?.to_string())
    }),
    ("cursor", false, |entry| {
        Some(entry.cursor.as_ref()?.to_string())
    }),
    ("body", false, |entry| {
        Some(entry.body.as_ref()?.to_string())
    }),
    ("request id", true, |entry| Some(entry.request_id.clone())),
];

/// The columns that hold a fingerprint in place of the value.
const FINGERPRINTS: [&str; 3] = ["key", "cursor", "body"];

/// The counters that moved, and those that every run shows.
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
                    caption id=(caption) { "What this run added, under the names that /metrics shows" }
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

/// The question that a metric answers: the same words as its help text.
fn question(name: &str, metrics: &[Metric]) -> &'static str {
    let known = metrics.iter().find(|metric| metric.name == name);
    known.map_or("", |metric| metric.question)
}
