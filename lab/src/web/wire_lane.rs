//! Shows the requests that reach the service from other clients: a terminal, a
//! browser, or a client in any language.

use std::{collections::BTreeSet, num::NonZeroUsize, sync::Arc, time::Duration};

use host::Ledger;
use maud::{Markup, html};
use render::{
    Table,
    page::table,
    timeline::{Bar, Kind, Row, Timeline, line},
};
use scenario::wire_table;
use tokio::time::sleep;
use wire::{WireRequest, counted};

use super::live::Live;

/// How many requests are kept.
pub(crate) const CAPACITY: NonZeroUsize = NonZeroUsize::new(200).unwrap();

/// How many requests are listed.
const LISTED: usize = 50;

/// The longest time that the picture spans.
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

/// The requests of the minute before the newest one.
fn lane(newest_first: &[WireRequest], newest: Duration) -> Markup {
    let recent: Vec<_> = newest_first
        .iter()
        .take_while(|request| newest.saturating_sub(request.arrived) <= SPAN)
        .collect();
    let start = recent.last().map_or(newest, |oldest| oldest.arrived);
    let rows = recent.iter().rev().map(|request| {
        let kind = kind(request);
        let at = request.arrived.saturating_sub(start);
        Row {
            id: request.seq.to_string(),
            level: 1,
            kind,
            is_call: false,
            at,
            end: Some(at),
            label: request.method.to_string(),
            note: String::new(),
            tags: Vec::new(),
            bars: vec![Bar::new(kind, at, at)],
            folded: false,
        }
    });
    let timeline = Timeline {
        rows: rows.collect(),
        ..Timeline::default()
    };
    line(&[&timeline])
}

fn kind(request: &WireRequest) -> Kind {
    match request.status {
        None => Kind::InFlight,
        Some(..400) => Kind::Good,
        Some(_) => Kind::Failed,
    }
}

/// Tells the pages of each request on its arrival, and again when it gets its response, until it
/// is dropped.
pub(crate) async fn watch(ledger: Ledger, live: Arc<Live>) {
    // All fields that are shown are known on arrival, or together with the status.
    let stages = || -> BTreeSet<_> {
        let entries = ledger.snapshot().entries;
        entries
            .iter()
            .map(|entry| (entry.seq, entry.status))
            .collect()
    };
    let mut told = stages();
    loop {
        sleep(INTERVAL).await;
        let now = stages();
        if now != told {
            live.changed();
            told = now;
        }
    }
}
