//! The ledger: the requests and connections, as the service saw them.
//!
//! No client can influence this account of a run. It is bounded: old
//! entries go, counts stay. Of cursors, keys and bodies it keeps a
//! [`ValueHash`] and never the value. Scrapes of `/metrics` are not in
//! it; the connections that they come on are.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wire::{
    BodyState, ConnectionEnd, FaultLabel, IssuedCursor, JobResult, ResponseHead, RouteTotals,
    Secret, Tie, ValueHash, Waits, WireConnection, WireRecord, WireRefusal, WireRequest,
};

use crate::problem::Problem;
use crate::recorded_exchange::{RecordedExchange, RequestShape, SentResponse};

/// A handle to the ledger of a service. Clones see the same ledger, also after the
/// service has stopped.
#[derive(Clone, Debug)]
pub struct Ledger(Arc<Mutex<State>>);

impl Ledger {
    pub(crate) fn new(capacity: usize, one_call: bool) -> Self {
        Self(Arc::new(Mutex::new(State::new(capacity, one_call))))
    }

    /// The ledger as it stands now, without exchanges.
    #[must_use]
    pub fn snapshot(&self) -> WireRecord {
        self.lock().snapshot()
    }

    /// The newest exchanges in order of arrival; none unless the service
    /// [records them](crate::ServiceConfig::record_exchanges).
    #[must_use]
    pub fn exchanges(&self) -> Vec<RecordedExchange> {
        self.lock().exchanges.to_vec()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // The state is sound after every single step, so a panic elsewhere leaves
        // nothing to mend.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The facts that a request adds when its handler has ended.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) body_state: BodyState,
    pub(crate) body: Option<ValueHash>,
    pub(crate) fault: Option<FaultLabel>,
    pub(crate) job: Option<JobResult>,
}

/// The facts about a request at its arrival.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// Its number.
    pub(crate) seq: u64,
    /// Its ties to others.
    pub(crate) ties: Vec<Tie>,
    /// Whether a response asked it to come later.
    pub(crate) is_early: bool,
}

/// The content of a ledger.
#[derive(Debug)]
pub(crate) struct State {
    one_call: bool,
    entries: Newest<WireRequest>,
    routes: BTreeMap<String, RouteTotals>,
    waits: Waits,
    connections: Newest<WireConnection>,
    refused: Vec<WireRefusal>,
    /// One for each entry, if they are kept.
    exchanges: Newest<RecordedExchange>,
}

impl State {
    fn new(capacity: usize, one_call: bool) -> Self {
        Self {
            one_call,
            entries: Newest::new(capacity),
            routes: BTreeMap::new(),
            waits: Waits::new(capacity),
            connections: Newest::new(capacity),
            refused: Vec::new(),
            exchanges: Newest::new(capacity),
        }
    }

    /// Enters a request that arrives now, and its shape if exchanges are kept.
    pub(crate) fn arrived(
        &mut self,
        mut entry: WireRequest,
        shape: Option<RequestShape>,
    ) -> Arrival {
        let ties = Tie::of(&entry, self.one_call);
        let newest = self.waits.newest(&entry.route, &ties);
        let early = newest
            .map(|(head, _)| head.early_by(entry.arrived))
            .filter(|early| !early.is_zero());
        count(&mut self.routes, &entry.route, |totals| {
            totals.requests += 1;
            totals.early += u64::from(early.is_some());
        });
        if let (Some(connection), Some(position)) = (entry.connection, entry.position) {
            self.requested(connection, position);
        }

        let seq = self.entries.total() + 1;
        (entry.seq, entry.early) = (seq, early);
        self.entries.push(entry);
        if let Some(request) = shape {
            self.exchanges.push(RecordedExchange {
                seq,
                request: Secret(request),
                response: None,
            });
        }
        Arrival {
            seq,
            ties,
            is_early: early.is_some(),
        }
    }

    /// Notes the response to a request on this route with these ties.
    pub(crate) fn responded(
        &mut self,
        route: &str,
        ties: &[Tie],
        head: ResponseHead,
        status: u16,
        cursor_issued: Option<IssuedCursor>,
    ) {
        count(&mut self.routes, route, |totals| totals.responses += 1);
        self.waits.responded(route, ties, head);
        if let Some(entry) = self.entry(head.seq) {
            entry.status = Some(status);
            entry.head = Some(head.at);
            entry.retry_after = head.retry_after;
            entry.cursor_issued = cursor_issued;
        }
    }

    /// Completes the entry of a request when its handler has ended.
    pub(crate) fn handled(&mut self, seq: u64, outcome: Outcome) {
        if let Some(entry) = self.entry(seq) {
            entry.body_state = outcome.body_state;
            entry.body = outcome.body;
            entry.fault = outcome.fault;
            entry.job = outcome.job;
        }
    }

    /// Notes that a request was refused at its connection.
    pub(crate) fn refused(&mut self, problem: Problem) {
        let mut known = self.refused.iter_mut();
        match known.find(|refused| refused.code == problem.code) {
            Some(refused) => refused.requests += 1,
            None => self.refused.push(WireRefusal {
                status: problem.status.as_u16(),
                code: problem.code,
                detail: problem.detail,
                requests: 1,
            }),
        }
    }

    /// The entry with this number, unless it was dropped.
    pub(crate) fn entry(&mut self, seq: u64) -> Option<&mut WireRequest> {
        self.entries.get_mut(seq)
    }

    /// The response of the exchange with this number, unless it was dropped.
    pub(crate) fn response(&mut self, seq: u64) -> Option<&mut Option<Secret<SentResponse>>> {
        self.exchanges
            .get_mut(seq)
            .map(|exchange| &mut exchange.response)
    }

    /// Notes that the next connection was opened.
    pub(crate) fn opened(&mut self, number: u64, at: Duration) {
        self.connections.push(WireConnection {
            number,
            opened: at,
            closed: None,
            requests: 0,
        });
    }

    /// Notes that a connection has brought so many requests.
    fn requested(&mut self, number: u64, requests: u64) {
        if let Some(connection) = self.connections.get_mut(number) {
            connection.requests = requests;
        }
    }

    pub(crate) fn closed(&mut self, number: u64, requests: u64, end: ConnectionEnd) {
        self.requested(number, requests);
        if let Some(connection) = self.connections.get_mut(number) {
            connection.closed = Some(end);
        }
    }

    fn snapshot(&self) -> WireRecord {
        WireRecord {
            entries: self.entries.to_vec(),
            total: self.entries.total(),
            dropped: self.entries.dropped(),
            routes: self.routes.clone(),
            connections: self.connections.to_vec(),
            connections_dropped: self.connections.dropped(),
            refused: self.refused.clone(),
            exchanges: Vec::new(),
            one_call: self.one_call,
            delays: Vec::new(),
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

/// The newest values. The first one that came has the number 1.
#[derive(Debug)]
struct Newest<T> {
    capacity: usize,
    values: VecDeque<T>,
    total: u64,
}

impl<T: Clone> Newest<T> {
    fn new(capacity: usize) -> Self {
        Self {
            capacity,
            values: VecDeque::new(),
            total: 0,
        }
    }

    /// Keeps a value, if need be instead of the oldest.
    fn push(&mut self, value: T) {
        self.total += 1;
        if self.values.len() < self.capacity {
            self.values.push_back(value);
            return;
        }
        self.values.rotate_left(1);
        if let Some(oldest) = self.values.back_mut() {
            *oldest = value;
        }
    }

    /// The value with this number, unless it was dropped.
    fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let position = number.checked_sub(self.dropped() + 1)?;
        self.values.get_mut(usize::try_from(position).ok()?)
    }

    /// How many there were.
    fn total(&self) -> u64 {
        self.total
    }

    /// How many were dropped to make room.
    fn dropped(&self) -> u64 {
        self.total - self.values.len() as u64
    }

    /// Those that are left, the oldest first.
    fn to_vec(&self) -> Vec<T> {
        self.values.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use wire::RetryAfter;

    use super::*;

    const FLAKY: &str = "/flaky";

    fn arrive(state: &mut State) -> u64 {
        let entry = WireRequest {
            route: FLAKY.into(),
            ..WireRequest::default()
        };
        state.arrived(entry, None).seq
    }

    fn respond(state: &mut State, seq: u64, retry_after: Option<RetryAfter>) {
        let head = ResponseHead {
            seq,
            at: Duration::from_secs(seq),
            retry_after,
        };
        state.responded(FLAKY, &[], head, 503, None);
    }

    #[test]
    fn old_values_go_and_are_counted() {
        let mut newest = Newest::new(2);
        for value in 'a'..='e' {
            newest.push(value);
        }

        let found = [0, 3, 4, 5, 6].map(|number| newest.get_mut(number).copied());

        assert_eq!(found, [None, None, Some('d'), Some('e'), None]);
        assert_eq!(newest.to_vec(), ['d', 'e']);
        assert_eq!((newest.total(), newest.dropped()), (5, 3));
    }

    #[test]
    fn old_entries_go_and_counts_stay() {
        let mut state = State::new(2, false);

        for _ in 0..5 {
            arrive(&mut state);
        }

        let snapshot = state.snapshot();
        let kept: Vec<_> = snapshot.entries.iter().map(|entry| entry.seq).collect();
        assert_eq!(kept, [4, 5]);
        assert_eq!((snapshot.total, snapshot.dropped), (5, 3));
        assert_eq!(snapshot.routes["/flaky"].requests, 5);
    }

    #[test]
    fn a_response_finds_its_entry_or_nothing() {
        let mut state = State::new(1, false);
        let (dropped, kept) = (arrive(&mut state), arrive(&mut state));
        let asked = Some(RetryAfter::date(Duration::from_millis(1_001)));

        respond(&mut state, dropped, None);
        let before = state.snapshot();
        respond(&mut state, kept, asked);
        let after = state.snapshot();

        assert_eq!(before.entries[0].status, None);
        assert_eq!(after.entries[0].status, Some(503));
        assert_eq!(after.entries[0].head, Some(Duration::from_secs(kept)));
        assert_eq!(after.entries[0].retry_after, asked);
        assert_eq!(after.routes["/flaky"].responses, 2);
    }
}
