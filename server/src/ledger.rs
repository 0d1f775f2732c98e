//! The ledger: what the wire saw, from the service's side.
//!
//! It is the one account of a run that no client can colour. It is bounded: old
//! entries go, counts stay. Of cursors, keys and bodies it keeps a [`Fingerprint`]
//! and never the value. Scrapes of `/metrics` are not in it.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::early::{Bonds, Waits};
use crate::seed_key::Fingerprint;

/// One request, as the service saw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerEntry {
    /// Its place in the order of arrival; the first is 1.
    pub seq: u64,
    /// When it arrived, since the service started and on the service's clock.
    #[serde(rename = "arrived_ns", serialize_with = "nanoseconds")]
    pub arrived: Duration,
    /// Its method, or `_OTHER` for one that HTTP does not define.
    pub method: &'static str,
    /// The path of the route that it matched, or `other`.
    pub route: String,
    /// The cursor it carried, as a fingerprint of the percent-decoded value.
    pub cursor: Option<Fingerprint>,
    /// The idempotency key it carried.
    pub idempotency_key: Option<Fingerprint>,
    /// The bytes of its body; none if it was empty or not read to its end.
    pub body: Option<Fingerprint>,
    /// The status it was answered with; none if its connection ended before that, or
    /// before the end of its body: then nobody is known to have received an answer.
    pub status: Option<u16>,
    /// The wait that the answer asked for by Retry-After. A date is counted from
    /// the moment of the answer, in whole seconds, rounded up.
    pub retry_after_seconds: Option<u64>,
    /// How much sooner it came than an earlier answer had asked for. Claimed only
    /// where both requests are known to belong together: the same route, and the
    /// same trace or the same idempotency key.
    #[serde(rename = "early_ns", serialize_with = "optional_nanoseconds")]
    pub early: Option<Duration>,
    /// The trace that a valid `traceparent` named, in hexadecimal.
    pub trace_id: Option<String>,
    /// The request id under which it was answered.
    pub request_id: String,
}

/// Counts of one route. They stay when entries go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RouteTotals {
    /// How many requests arrived.
    pub requests: u64,
    /// How many of them were answered: those whose entry has a status.
    pub answered: u64,
    /// How many of them came earlier than a Retry-After allowed.
    pub early: u64,
}

/// The ledger at one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LedgerSnapshot {
    /// The newest requests in order of arrival.
    pub entries: Vec<LedgerEntry>,
    /// How many requests arrived in all: the entries and the dropped ones.
    pub total: u64,
    /// How many entries were dropped to stay within bounds.
    pub dropped: u64,
    /// Counts of each route that was asked for.
    pub routes: BTreeMap<String, RouteTotals>,
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
    pub(crate) fn arrived(&self, arrival: Arrival) -> (u64, Option<Duration>) {
        self.lock().arrived(arrival)
    }

    /// Completes the entry of a request that was answered, or that never will be.
    pub(crate) fn ended(&self, seq: u64, bonds: &Bonds, ending: Ending) {
        self.lock().ended(seq, bonds, ending);
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

/// What is known of a request when it arrives.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) at: Duration,
    pub(crate) method: &'static str,
    pub(crate) cursor: Option<Fingerprint>,
    pub(crate) bonds: Bonds,
    pub(crate) request_id: String,
}

/// What is known of it when it has ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) body: Option<Fingerprint>,
    pub(crate) answer: Option<Answer>,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The moment from which a wait counts. Later readings would blame a client that
    /// kept to a date exactly.
    pub(crate) at: Duration,
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
}

#[derive(Debug)]
struct State {
    capacity: usize,
    entries: VecDeque<LedgerEntry>,
    total: u64,
    routes: BTreeMap<String, RouteTotals>,
    waits: Waits,
}

impl State {
    fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: VecDeque::new(),
            total: 0,
            routes: BTreeMap::new(),
            waits: Waits::new(capacity),
        }
    }

    fn arrived(&mut self, arrival: Arrival) -> (u64, Option<Duration>) {
        let Arrival {
            at,
            method,
            cursor,
            bonds,
            request_id,
        } = arrival;
        let early = self.waits.remaining(&bonds, at);
        let totals = self.routes.entry(bonds.route.clone()).or_default();
        totals.requests += 1;
        totals.early += u64::from(early.is_some());

        self.total += 1;
        if self.entries.len() == self.capacity {
            self.entries.pop_front();
        }
        self.entries.push_back(LedgerEntry {
            seq: self.total,
            arrived: at,
            method,
            route: bonds.route,
            cursor,
            idempotency_key: bonds.idempotency_key,
            body: None,
            status: None,
            retry_after_seconds: None,
            early,
            trace_id: bonds.trace_id,
            request_id,
        });
        (self.total, early)
    }

    fn ended(&mut self, seq: u64, bonds: &Bonds, ending: Ending) {
        let Ending { body, answer } = ending;
        if let Some(answer) = &answer {
            self.routes.entry(bonds.route.clone()).or_default().answered += 1;
            let until = answer
                .retry_after
                .map(|wait| answer.at.saturating_add(wait));
            self.waits.told(bonds, until);
        }
        if let Some(entry) = self.entry(seq) {
            entry.body = body;
            entry.status = answer.as_ref().map(|answer| answer.status);
            entry.retry_after_seconds = answer
                .and_then(|answer| answer.retry_after)
                .map(whole_seconds);
        }
    }

    /// The entry with this number, unless it was dropped.
    fn entry(&mut self, seq: u64) -> Option<&mut LedgerEntry> {
        let first = self.entries.front()?.seq;
        self.entries
            .get_mut(usize::try_from(seq.checked_sub(first)?).ok()?)
    }

    fn snapshot(&self) -> LedgerSnapshot {
        LedgerSnapshot {
            entries: self.entries.iter().cloned().collect(),
            total: self.total,
            dropped: self.total - self.entries.len() as u64,
            routes: self.routes.clone(),
        }
    }
}

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs()
        .saturating_add(u64::from(wait.subsec_nanos() > 0))
}

/// Five centuries and more are cut to what a whole number of 64 bits holds.
fn whole_nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn nanoseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    whole_nanoseconds(*time).serialize(serializer)
}

fn optional_nanoseconds<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(whole_nanoseconds).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Answer, Arrival, Ending, State};
    use crate::early::Bonds;

    fn bonds(route: &str) -> Bonds {
        Bonds {
            route: route.into(),
            trace_id: Some("trace".into()),
            idempotency_key: None,
        }
    }

    fn arrive(state: &mut State, route: &str, at: u64) -> (u64, Option<Duration>) {
        state.arrived(Arrival {
            at: Duration::from_secs(at),
            method: "GET",
            cursor: None,
            bonds: bonds(route),
            request_id: String::new(),
        })
    }

    fn answer(state: &mut State, route: &str, seq: u64, at: u64, retry_after: Option<Duration>) {
        let at = Duration::from_secs(at);
        let answer = Some(Answer {
            at,
            status: 503,
            retry_after,
        });
        state.ended(seq, &bonds(route), Ending { body: None, answer });
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
    fn an_answer_finds_its_entry_or_nothing() {
        let mut state = State::new(1);
        let (dropped, _) = arrive(&mut state, "/flaky", 0);
        let (kept, _) = arrive(&mut state, "/flaky", 1);

        answer(&mut state, "/flaky", dropped, 2, None);
        let before = state.snapshot();
        answer(
            &mut state,
            "/flaky",
            kept,
            3,
            Some(Duration::from_millis(1_001)),
        );
        let after = state.snapshot();

        assert_eq!(before.entries[0].status, None);
        assert_eq!(after.entries[0].status, Some(503));
        assert_eq!(after.entries[0].retry_after_seconds, Some(2));
        assert_eq!(after.routes["/flaky"].answered, 2);
    }

    #[test]
    fn a_request_whose_connection_died_is_seen_without_a_status() {
        let mut state = State::new(1);
        let (seq, _) = arrive(&mut state, "/flaky", 0);

        state.ended(
            seq,
            &bonds("/flaky"),
            Ending {
                body: None,
                answer: None,
            },
        );

        let snapshot = state.snapshot();
        assert_eq!(snapshot.entries[0].status, None);
        assert_eq!(snapshot.routes["/flaky"].requests, 1);
        assert_eq!(snapshot.routes["/flaky"].answered, 0);
    }

    #[test]
    fn an_early_request_says_how_early_and_is_counted() {
        let mut state = State::new(8);
        let (seq, _) = arrive(&mut state, "/retry-later", 10);
        answer(
            &mut state,
            "/retry-later",
            seq,
            10,
            Some(Duration::from_secs(120)),
        );

        let (_, early) = arrive(&mut state, "/retry-later", 100);

        assert_eq!(early, Some(Duration::from_secs(30)));
        assert_eq!(state.snapshot().routes["/retry-later"].early, 1);
    }
}
