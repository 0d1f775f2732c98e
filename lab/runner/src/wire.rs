//! Fills the wire record from the service's ledger.

use crate::player::outcome::whole_seconds;
use evidence::wire::{RouteTotals, ValueHash, WireRecord, WireRequest};
use server::{KeyedHash, LedgerEntry, LedgerSnapshot, RetryAfter};

/// What the service saw, as the lab's own value.
pub fn record(ledger: LedgerSnapshot) -> WireRecord {
    WireRecord {
        entries: ledger.entries.into_iter().map(request).collect(),
        total: ledger.total,
        dropped: ledger.dropped,
        routes: ledger
            .routes
            .into_iter()
            .map(|(route, totals)| (route, self::totals(totals)))
            .collect(),
    }
}

/// One request, as the lab's own value.
pub fn request(entry: LedgerEntry) -> WireRequest {
    let hashed = |keyed: Option<KeyedHash>| keyed.map(hash);
    WireRequest {
        seq: entry.seq,
        arrived: entry.arrived,
        method: entry.method,
        route: entry.route,
        cursor: hashed(entry.cursor),
        idempotency_key: hashed(entry.idempotency_key),
        body: hashed(entry.body),
        status: entry.status,
        retry_after_seconds: entry
            .retry_after
            .and_then(RetryAfter::wait)
            .map(whole_seconds),
        early: entry.early,
        trace_id: entry.trace_id,
        request_id: entry.request_id,
    }
}

fn hash(keyed: KeyedHash) -> ValueHash {
    let hex = keyed.to_string();
    ValueHash(u64::from_str_radix(&hex, 16).expect("sixteen hex digits"))
}

fn totals(totals: server::RouteTotals) -> RouteTotals {
    RouteTotals {
        requests: totals.requests,
        responses: totals.responses,
        early: totals.early,
    }
}
