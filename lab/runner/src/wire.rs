//! Fills the wire record from the service's ledger.

use evidence::wire::{
    BodyState, ClosedBy, ConnectionEnd, IssuedCursor, JobResult, RecordedHeader, RetryAfter,
    RouteTotals, ValueHash, WireConnection, WireRecord, WireRefusal, WireRequest,
};
use server::{ConnectionEntry, KeyedHash, LedgerEntry, LedgerSnapshot, Refused};

/// What the service saw, as the lab's own value; `one_caller` if one caller sent all of
/// it, one request after the other.
#[must_use]
pub fn record(ledger: LedgerSnapshot, one_caller: bool) -> WireRecord {
    let routes = ledger.routes.into_iter();
    WireRecord {
        entries: ledger.entries.into_iter().map(request).collect(),
        total: ledger.total,
        dropped: ledger.dropped,
        routes: routes
            .map(|(route, totals)| (route, self::totals(totals)))
            .collect(),
        connections: ledger.connections.into_iter().map(connection).collect(),
        connections_dropped: ledger.connections_dropped,
        refused: ledger.refused.into_iter().map(refusal).collect(),
        exchanges: Vec::new(),
        one_caller,
    }
}

/// One request, as the lab's own value.
#[must_use]
pub fn request(entry: LedgerEntry) -> WireRequest {
    WireRequest {
        seq: entry.seq,
        connection: entry.connection,
        position: entry.position,
        version: format!("{:?}", entry.version),
        arrived: entry.arrived,
        method: entry.method,
        route: entry.route.into_owned(),
        call: None,
        token_in_url: false,
        cursor: entry.cursor.map(hash),
        idempotency_key: entry.idempotency_key.map(hash),
        body: entry.body.map(hash),
        body_state: match entry.body_state {
            server::BodyState::Empty => BodyState::Empty,
            server::BodyState::Complete => BodyState::Complete,
            server::BodyState::Broken => BodyState::Broken,
            server::BodyState::Unread => BodyState::Unread,
        },
        accept: entry.accept.map(header),
        content_type: entry.content_type.map(header),
        authorization: entry.authorization,
        status: entry.status,
        head: entry.head,
        ended: entry.ended,
        retry_after: entry.retry_after.map(|retry_after| match retry_after {
            server::RetryAfter::Seconds(wait) => RetryAfter::seconds(wait),
            server::RetryAfter::Date(wait) => RetryAfter::date(wait),
            server::RetryAfter::PastDate => RetryAfter::PAST_DATE,
            server::RetryAfter::Unusable => RetryAfter::UNUSABLE,
        }),
        cursor_issued: entry.cursor_issued.map(|issued| match issued {
            server::IssuedCursor::Null => IssuedCursor::Null,
            server::IssuedCursor::Hash(keyed) => IssuedCursor::Hash(hash(keyed)),
        }),
        fault: entry.fault,
        job: entry.job.map(|result| match result {
            server::JobResult::Created => JobResult::Created,
            server::JobResult::Replayed => JobResult::Replayed,
            server::JobResult::Conflict => JobResult::Conflict,
            server::JobResult::Rejected => JobResult::Rejected,
        }),
        early: entry.early,
        trace_id: entry.trace_id,
        request_id: entry.request_id.to_string(),
    }
}

fn refusal(refused: Refused) -> WireRefusal {
    let Refused { problem, requests } = refused;
    WireRefusal {
        status: problem.status.as_u16(),
        code: problem.code,
        detail: problem.detail,
        requests,
    }
}

fn hash(keyed: KeyedHash) -> ValueHash {
    ValueHash(keyed.into())
}

fn header(header: server::RecordedHeader) -> RecordedHeader {
    match header {
        server::RecordedHeader::Value(value) => RecordedHeader::Value(value.into_owned()),
        server::RecordedHeader::Unusable => RecordedHeader::Unusable,
    }
}

fn totals(totals: server::RouteTotals) -> RouteTotals {
    RouteTotals {
        requests: totals.requests,
        responses: totals.responses,
        early: totals.early,
    }
}

fn connection(entry: ConnectionEntry) -> WireConnection {
    WireConnection {
        number: entry.number,
        opened: entry.opened,
        closed: entry.closed.map(|end| ConnectionEnd {
            at: end.at,
            by: match end.by {
                server::ClosedBy::Client => ClosedBy::Client,
                server::ClosedBy::Service => ClosedBy::Service,
                server::ClosedBy::Bound => ClosedBy::Bound,
                server::ClosedBy::Reset => ClosedBy::Reset,
            },
        }),
        requests: entry.requests,
    }
}
