//! What reaches the service from anywhere else: from a terminal, a browser, a
//! client in another language.

use std::{collections::BTreeSet, convert::Infallible, sync::Arc, time::Duration};

use host::Ledger;
use serde::Serialize;
use tokio::time::sleep;

use super::feed::Feed;
use evidence::{
    WireRequest, nanoseconds,
    plot::{Column, Table, TableRow},
};

/// How many requests are kept.
pub(super) const CAPACITY: usize = 200;

/// How often the ledger is read: short for an eye, long for a processor.
const INTERVAL: Duration = Duration::from_millis(50);

/// The requests that are kept, the oldest first.
#[derive(Debug, Serialize)]
pub(super) struct WireSnapshot {
    columns: Vec<Column>,
    requests: Vec<Request>,
}

/// A request, as far as the service has come with it.
#[derive(Debug, Serialize)]
struct Request {
    /// Its number in the order of arrival; the first is 1.
    seq: u64,
    arrived_ns: u64,
    status: Option<u16>,
    /// All that the ledger has on it, in words.
    row: TableRow,
}

impl From<WireRequest> for Request {
    fn from(request: WireRequest) -> Self {
        Self {
            seq: request.seq,
            arrived_ns: nanoseconds::whole(request.arrived),
            status: request.status,
            row: TableRow::of_request(&request),
        }
    }
}

pub(super) fn snapshot(ledger: &Ledger) -> WireSnapshot {
    let entries = ledger.snapshot().entries;
    WireSnapshot {
        columns: Table::of_requests([]).columns,
        requests: entries.into_iter().map(Request::from).collect(),
    }
}

/// Publishes each request once it has arrived, and again if it gets its response later,
/// for ever.
pub(super) async fn relay(ledger: Ledger, feed: Arc<Feed>) -> Infallible {
    // All that is shown of a request is known when it arrives, or with its status.
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
