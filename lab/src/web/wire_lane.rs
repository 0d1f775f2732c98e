//! Publishes the requests that reach the service from other clients: a terminal, a
//! browser, or a client in any language.

use std::{collections::BTreeSet, num::NonZeroUsize, sync::Arc, time::Duration};

use host::Ledger;
use maud::{Markup, html};
use render::{
    Table,
    page::{PartKind, table},
};
use scenario::wire_table;
use serde_json::json;
use tokio::time::sleep;
use wire::{WireRequest, counted};

use super::feed::Feed;

/// How many requests are kept.
pub(crate) const CAPACITY: NonZeroUsize = NonZeroUsize::new(200).unwrap();

/// How many requests are listed.
const LISTED: usize = 50;

/// The time that the lane spans.
const SPAN: Duration = Duration::from_secs(60);

/// How often the ledger is read: not noticeable to a person, and cheap for the processor.
const INTERVAL: Duration = Duration::from_millis(50);

/// The requests that came to the service at this address, on a lane of the last minute and as a
/// table.
pub(crate) fn fragment(ledger: &Ledger, service: &str) -> Markup {
    let mut entries = ledger.snapshot().entries;
    entries.reverse();
    let Some(newest) = entries.first() else {
        return html! {
            p.nothing { "Requests that your own client sends to " code { (service) } " appear here." }
        };
    };
    let total = newest.seq;
    let rows = entries.iter().take(LISTED).map(wire_table::of_request);
    let requests = Table {
        columns: wire_table::columns_of_requests(),
        rows: rows.collect(),
    };
    let listed = if entries.len() > LISTED {
        format!("the newest {LISTED} are listed")
    } else {
        "the newest first".to_owned()
    };
    html! {
        p.terms {
            (counted(total, "request")) " to " code { (service) } " so far, " (listed) ". Times count from the start of "
            code { "lab serve" } "."
        }
        (lane(&entries, newest.arrived))
        (table(None, ("elsewhere", "Requests from other clients, the newest first"), &requests.without_empty_columns()))
    }
}

/// The minute before the newest request, with a mark for each request.
fn lane(newest_first: &[WireRequest], newest: Duration) -> Markup {
    let recent: Vec<_> = newest_first
        .iter()
        .take_while(|request| newest.saturating_sub(request.arrived) <= SPAN)
        .collect();
    let words = counted(recent.len() as u64, "request");
    html! {
        div.row.lane {
            span.at { "60 s before" }
            svg.chart role="img" aria-label={ (words) " in the minute before the newest" } {
                line.rule x2="100%" y1="50%" y2="50%" {}
                @for request in recent {
                    @let before = newest.saturating_sub(request.arrived).as_secs_f64();
                    @let at = 99.0 * (1.0 - before / SPAN.as_secs_f64());
                    (kind(request).bar(at, at + 0.6))
                }
            }
            span.how { "the newest" }
        }
    }
}

fn kind(request: &WireRequest) -> PartKind {
    match request.status {
        None => PartKind::Open,
        Some(..400) => PartKind::Ok,
        Some(_) => PartKind::Failed,
    }
}

/// Publishes each request on arrival, and again when it gets its response, until it is
/// dropped.
pub(crate) async fn relay(ledger: Ledger, feed: Arc<Feed>) {
    // All fields that are shown are known on arrival, or together with the status.
    let stage = |entry: &WireRequest| (entry.seq, entry.status);
    let mut published = BTreeSet::new();
    loop {
        let entries = ledger.snapshot().entries;
        let stages = entries.iter().map(stage).collect();
        let is_new = |entry: &WireRequest| !published.contains(&stage(entry));
        for entry in entries.into_iter().filter(is_new) {
            let seen = json!({ "seq": entry.seq, "status": entry.status });
            feed.publish("wire", &seen);
        }
        published = stages;
        sleep(INTERVAL).await;
    }
}
