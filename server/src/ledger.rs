//! The ledger: what the wire saw, from the service's side.
//!
//! No client can influence this account of a run. It is bounded: old
//! entries go, counts stay. Of cursors, keys and bodies it keeps a
//! [`KeyedHash`](crate::KeyedHash) and never the value. Scrapes of `/metrics` are not in
//! it; the connections that they come on are.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::accept::ClosedBy;
use crate::exchange::{Exchange, Exchanges, RequestShape, SentBody, SentResponse};
use crate::problem::Problem;
use crate::response_extensions::JobResult;
use crate::retry_after::RetryAfter;
use crate::seed_key::KeyedHash;
use crate::waits::{Correlation, Waits};
use connections::Connections;

pub use connections::{ConnectionEnd, ConnectionEntry};
pub use entry::{BodyState, IssuedCursor, LedgerEntry};

mod connections;
mod entry;

/// Counts of one route. They stay when entries go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RouteTotals {
    /// How many requests arrived.
    pub requests: u64,
    /// How many of them got a response: those whose entry has a status.
    pub responses: u64,
    /// How many of them came earlier than a Retry-After allowed.
    pub early: u64,
}

/// The ledger at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LedgerSnapshot {
    /// The newest requests in order of arrival.
    pub entries: Vec<LedgerEntry>,
    /// How many requests arrived in all: the entries and the dropped ones.
    pub total: u64,
    /// How many entries were dropped to stay within bounds.
    pub dropped: u64,
    /// Counts of each route that was asked for.
    pub routes: BTreeMap<String, RouteTotals>,
    /// The newest connections in order of acceptance, those without a request included.
    pub connections: Vec<ConnectionEntry>,
    /// How many connections were dropped to stay within bounds.
    pub connections_dropped: u64,
    /// The newest exchanges in order of arrival; none unless the service
    /// [records them](crate::ServiceConfigBuilder::record_exchanges).
    pub exchanges: Vec<Exchange>,
    /// What was refused at its connection, and is in no entry and no count.
    pub refused: Vec<Refused>,
}

/// How many requests were refused for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub problem: Problem,
    /// How many there were.
    pub requests: u64,
}

/// A handle to the ledger of a service. Clones see the same ledger, also after the
/// service has stopped.
#[derive(Clone)]
pub struct Ledger(Arc<Mutex<State>>);

impl Ledger {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(Arc::new(Mutex::new(State::new(capacity))))
    }

    /// The ledger as it stands now.
    #[must_use]
    pub fn snapshot(&self) -> LedgerSnapshot {
        self.lock().snapshot()
    }

    /// Enters a request: its number, and how much too early it came.
    pub(crate) fn arrived(&self, entry: LedgerEntry, one_caller: bool) -> (u64, Option<Duration>) {
        self.lock().arrived(entry, one_caller)
    }

    /// Completes the entry of a request that has a response, or will never have one.
    pub(crate) fn responded(&self, seq: u64, request: Correlation<'_>, outcome: Outcome) {
        self.lock().responded(seq, request, outcome);
    }

    /// Notes that the last byte of a response was handed over.
    pub(crate) fn response_ended(&self, seq: u64, at: Duration) {
        if let Some(entry) = self.lock().entry(seq) {
            entry.ended = Some(at);
        }
    }

    /// Keeps the shape of a request with this number.
    pub(crate) fn received(&self, seq: u64, request: RequestShape) {
        self.lock().exchanges.received(seq, request);
    }

    /// Keeps the head of its response.
    pub(crate) fn head_sent(&self, seq: u64, response: SentResponse) {
        self.lock().exchanges.head_sent(seq, response);
    }

    /// Keeps the body of its response, now that it has ended.
    pub(crate) fn body_sent(&self, seq: u64, body: SentBody) {
        self.lock().exchanges.body_sent(seq, body);
    }

    pub(crate) fn connection_opened(&self, number: u64, at: Duration) {
        self.lock().connections.opened(number, at);
    }

    pub(crate) fn connection_closed(&self, number: u64, requests: u64, at: Duration, by: ClosedBy) {
        let end = ConnectionEnd { at, by };
        self.lock().connections.closed(number, requests, end);
    }

    /// Notes that a request was refused at its connection.
    pub(crate) fn refused(&self, problem: Problem) {
        self.lock().refused(problem);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is sound after every single step, so a panic elsewhere leaves
        // nothing to mend.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("total", &self.lock().total)
            .finish_non_exhaustive()
    }
}

/// What is known of a request when its handler has ended.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) body_state: BodyState,
    pub(crate) body: Option<KeyedHash>,
    pub(crate) fault: Option<&'static str>,
    pub(crate) job: Option<JobResult>,
    pub(crate) response: Option<Head>,
}

/// The head of a response.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) at: Duration,
    pub(crate) wall: SystemTime,
    pub(crate) status: u16,
    pub(crate) retry_after: Option<RetryAfter>,
    pub(crate) cursor_issued: Option<IssuedCursor>,
}

#[derive(Debug)]
struct State {
    capacity: usize,
    entries: VecDeque<LedgerEntry>,
    total: u64,
    routes: BTreeMap<String, RouteTotals>,
    waits: Waits,
    connections: Connections,
    refused: Vec<Refused>,
    exchanges: Exchanges,
}

impl State {
    fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: VecDeque::new(),
            total: 0,
            routes: BTreeMap::new(),
            waits: Waits::new(capacity),
            connections: Connections::new(capacity),
            refused: Vec::new(),
            exchanges: Exchanges::new(capacity),
        }
    }

    fn arrived(&mut self, entry: LedgerEntry, one_caller: bool) -> (u64, Option<Duration>) {
        let request = Correlation {
            route: &entry.route,
            trace_id: entry.trace_id.as_deref(),
            idempotency_key: entry.idempotency_key,
            one_caller,
        };
        let early = self.waits.remaining(request, entry.arrived);
        count(&mut self.routes, &entry.route, |totals| {
            totals.requests += 1;
            totals.early += u64::from(early.is_some());
        });
        if let (Some(connection), Some(position)) = (entry.connection, entry.position) {
            self.connections.requested(connection, position);
        }

        self.total += 1;
        self.keep(LedgerEntry {
            seq: self.total,
            early,
            ..entry
        });
        (self.total, early)
    }

    /// Keeps an entry, if need be instead of the oldest.
    fn keep(&mut self, entry: LedgerEntry) {
        if self.entries.len() < self.capacity {
            self.entries.push_back(entry);
            return;
        }
        self.entries.rotate_left(1);
        if let Some(oldest) = self.entries.back_mut() {
            *oldest = entry;
        }
    }

    fn responded(&mut self, seq: u64, request: Correlation<'_>, outcome: Outcome) {
        if let Some(head) = &outcome.response {
            let responded = |totals: &mut RouteTotals| totals.responses += 1;
            count(&mut self.routes, request.route, responded);
            let wait = head.retry_after.and_then(RetryAfter::wait);
            let until = wait.map(|wait| head.at.saturating_add(wait));
            self.waits.note(request, until);
        }
        let Some(entry) = self.entry(seq) else {
            return;
        };
        entry.body_state = outcome.body_state;
        entry.body = outcome.body;
        entry.fault = outcome.fault;
        entry.job = outcome.job;
        if let Some(head) = outcome.response {
            entry.status = Some(head.status);
            entry.head = Some(head.at);
            entry.head_wall = Some(head.wall);
            entry.retry_after = head.retry_after;
            entry.cursor_issued = head.cursor_issued;
        }
    }

    fn refused(&mut self, problem: Problem) {
        let mut known = self.refused.iter_mut();
        match known.find(|refused| refused.problem == problem) {
            Some(refused) => refused.requests += 1,
            None => self.refused.push(Refused {
                problem,
                requests: 1,
            }),
        }
    }

    /// The entry with this number, unless it was dropped.
    fn entry(&mut self, seq: u64) -> Option<&mut LedgerEntry> {
        // Not read from the oldest entry, which no cache holds any more.
        let dropped = self.total - self.entries.len() as u64;
        let position = seq.checked_sub(dropped + 1)?;
        self.entries.get_mut(usize::try_from(position).ok()?)
    }

    fn snapshot(&self) -> LedgerSnapshot {
        LedgerSnapshot {
            entries: self.entries.iter().cloned().collect(),
            total: self.total,
            dropped: self.total - self.entries.len() as u64,
            routes: self.routes.clone(),
            connections: self.connections.entries(),
            connections_dropped: self.connections.dropped(),
            refused: self.refused.clone(),
            exchanges: self.exchanges.entries(),
        }
    }
}

/// Counts something of a route.
fn count(
    routes: &mut BTreeMap<String, RouteTotals>,
    route: &str,
    count: impl FnOnce(&mut RouteTotals),
) {
    match routes.get_mut(route) {
        Some(totals) => count(totals),
        None => count(routes.entry(route.to_owned()).or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{Head, LedgerEntry, Outcome, State};
    use crate::retry_after::RetryAfter;
    use crate::waits::Correlation;

    fn arrive(state: &mut State, route: &str, at: u64) -> (u64, Option<Duration>) {
        let entry = LedgerEntry {
            arrived: Duration::from_secs(at),
            route: route.to_owned().into(),
            trace_id: Some("trace".to_owned()),
            ..LedgerEntry::default()
        };
        state.arrived(entry, false)
    }

    fn correlation(route: &str) -> Correlation<'_> {
        Correlation {
            route,
            trace_id: Some("trace"),
            idempotency_key: None,
            one_caller: false,
        }
    }

    fn respond(state: &mut State, route: &str, seq: u64, at: u64, retry_after: Option<Duration>) {
        let head = Head {
            at: Duration::from_secs(at),
            wall: SystemTime::UNIX_EPOCH,
            status: 503,
            retry_after: retry_after.map(RetryAfter::Date),
            cursor_issued: None,
        };
        let outcome = Outcome {
            response: Some(head),
            ..Outcome::default()
        };
        state.responded(seq, correlation(route), outcome);
    }

    #[test]
    fn old_entries_go_and_counts_stay() {
        let mut state = State::new(2);

        for at in 0..5 {
            arrive(&mut state, "/flaky", at);
        }

        let snapshot = state.snapshot();
        let kept: Vec<_> = snapshot.entries.iter().map(|entry| entry.seq).collect();
        assert_eq!(kept, [4, 5]);
        assert_eq!((snapshot.total, snapshot.dropped), (5, 3));
        assert_eq!(snapshot.routes["/flaky"].requests, 5);
    }

    #[test]
    fn a_response_finds_its_entry_or_nothing() {
        let mut state = State::new(1);
        let (dropped, _) = arrive(&mut state, "/flaky", 0);
        let (kept, _) = arrive(&mut state, "/flaky", 1);
        let wait = Duration::from_millis(1_001);

        respond(&mut state, "/flaky", dropped, 2, None);
        let before = state.snapshot();
        respond(&mut state, "/flaky", kept, 3, Some(wait));
        let after = state.snapshot();

        assert_eq!(before.entries[0].status, None);
        assert_eq!(after.entries[0].status, Some(503));
        assert_eq!(after.entries[0].head, Some(Duration::from_secs(3)));
        assert_eq!(after.entries[0].retry_after, Some(RetryAfter::Date(wait)));
        assert_eq!(after.routes["/flaky"].responses, 2);
    }

    #[test]
    fn a_request_whose_connection_died_is_seen_without_a_status() {
        let mut state = State::new(1);
        let (seq, _) = arrive(&mut state, "/flaky", 0);

        state.responded(seq, correlation("/flaky"), Outcome::default());

        let snapshot = state.snapshot();
        assert_eq!(snapshot.entries[0].status, None);
        assert_eq!(snapshot.routes["/flaky"].requests, 1);
        assert_eq!(snapshot.routes["/flaky"].responses, 0);
    }

    #[test]
    fn an_early_request_says_how_early_and_is_counted() {
        let mut state = State::new(8);
        let (seq, _) = arrive(&mut state, "/retry-later", 10);
        let wait = Duration::from_secs(120);
        respond(&mut state, "/retry-later", seq, 10, Some(wait));

        let (_, early) = arrive(&mut state, "/retry-later", 100);

        assert_eq!(early, Some(Duration::from_secs(30)));
        assert_eq!(state.snapshot().routes["/retry-later"].early, 1);
    }
}
