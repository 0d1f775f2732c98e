//! Publishes the requests that reach the service from other clients: a terminal, a
//! browser, or a client in any language.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use host::Ledger;
use render::{Column, TableRow};
use scenario::wire_table;
use serde::Serialize;
use tokio::time::sleep;
use wire::{WireRequest, nanoseconds};

use super::feed::Feed;

/// How many requests are kept.
pub(crate) const CAPACITY: usize = 200;

/// How often the ledger is read: not noticeable to a person, and cheap for the processor.
const INTERVAL: Duration = Duration::from_millis(50);

/// The requests that are kept, the oldest first.
#[derive(Debug, Serialize)]
pub(crate) struct WireSnapshot {
    columns: Vec<Column>,
    requests: Vec<Request>,
}

/// A request in its current state.
#[derive(Debug, Serialize)]
struct Request {
    /// Its number in the order of arrival, starting at 1.
    seq: u64,
    arrived_ns: u64,
    status: Option<u16>,
    /// The ledger's entry, in words.
    row: TableRow,
}

impl From<WireRequest> for Request {
    fn from(request: WireRequest) -> Self {
        Self {
            seq: request.seq,
            arrived_ns: nanoseconds::whole(request.arrived),
            status: request.status,
            row: wire_table::of_request(&request),
        }
    }
}

pub(crate) fn snapshot(ledger: &Ledger) -> WireSnapshot {
    let entries = ledger.snapshot().entries;
    WireSnapshot {
        columns: wire_table::columns_of_requests(),
        requests: entries.into_iter().map(Request::from).collect(),
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
            feed.publish("wire", &Request::from(entry));
        }
        published = stages;
        sleep(INTERVAL).await;
    }
}
