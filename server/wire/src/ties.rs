//! Which requests belong to one call, and which of them came too early.
//!
//! The host asks this as requests arrive, and a judge when it reads the record, so that a
//! table of requests and a verdict about them never differ. If everything is one call, all
//! requests belong together. Elsewhere an equal trace id or idempotency key ties two
//! requests. A request with neither is tied to nothing: a guess could blame a client that
//! did nothing wrong.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use crate::{RetryAfter, ValueHash, WireRequest};

/// A thing that the requests of one call have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tie {
    /// Everything is one call.
    OneCall,
    /// They name this trace.
    Trace(String),
    /// They carry this idempotency key.
    IdempotencyKey(ValueHash),
}

impl Tie {
    /// The ties of a request, if everything is `one_call`, or if it is not.
    #[must_use]
    pub fn of(request: &WireRequest, one_call: bool) -> Vec<Self> {
        if one_call {
            return vec![Self::OneCall];
        }
        let trace = request.trace_id.clone().map(Self::Trace);
        let key = request.idempotency_key.map(Self::IdempotencyKey);
        trace.into_iter().chain(key).collect()
    }
}

/// The head of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// The number of its request.
    pub seq: u64,
    /// A moment before it was written.
    pub at: Duration,
    /// Its Retry-After.
    pub retry_after: Option<RetryAfter>,
}

impl ResponseHead {
    /// By how much a request of the same call came too early that arrived at this moment;
    /// zero if it did not.
    #[must_use]
    pub fn early_by(self, arrived: Duration) -> Duration {
        let waited = arrived.saturating_sub(self.at);
        self.retry_after
            .map_or(Duration::ZERO, |retry_after| retry_after.early_by(waited))
    }
}

/// The waits in force: the newest response to each call, on each route.
///
/// Arrivals and heads are brought in the order in which they happened. The newest response
/// counts, so one without a Retry-After ends an older wait. The memory is bounded: the
/// oldest is forgotten, and then nothing is claimed.
#[derive(Debug)]
pub struct Waits {
    capacity: usize,
    newest: HashMap<Call, ResponseHead>,
    oldest_first: VecDeque<Call>,
}

/// The requests of a call on one route.
type Call = (String, Tie);

impl Waits {
    /// Room for the waits of so many calls.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            newest: HashMap::new(),
            oldest_first: VecDeque::new(),
        }
    }

    /// The newest response to a request with one of these ties on this route, and that
    /// tie; none if no response asked for a wait yet.
    #[must_use]
    pub fn newest<'a>(&self, route: &str, ties: &'a [Tie]) -> Option<(ResponseHead, &'a Tie)> {
        if self.newest.is_empty() {
            return None;
        }
        let known = ties.iter().filter_map(|tie| {
            let head = self.newest.get(&(route.to_owned(), tie.clone()))?;
            Some((*head, tie))
        });
        known.max_by_key(|(head, _)| (head.at, head.seq))
    }

    /// Notes the response to a request with these ties on this route.
    pub fn responded(&mut self, route: &str, ties: &[Tie], head: ResponseHead) {
        // Most services never ask for a wait. They need nothing remembered.
        if self.newest.is_empty() && head.retry_after.is_none() {
            return;
        }
        for tie in ties {
            let call = (route.to_owned(), tie.clone());
            match self.newest.get_mut(&call) {
                Some(known) if (known.at, known.seq) <= (head.at, head.seq) => *known = head,
                Some(_) => {}
                None => self.remember(call, head),
            }
        }
    }

    fn remember(&mut self, call: Call, head: ResponseHead) {
        if self.oldest_first.len() >= self.capacity
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.newest.remove(&oldest);
        }
        self.oldest_first.push_back(call.clone());
        self.newest.insert(call, head);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTE: &str = "/route";

    fn request(trace: Option<&str>, key: Option<u64>) -> WireRequest {
        WireRequest {
            trace_id: trace.map(str::to_owned),
            idempotency_key: key.map(ValueHash),
            ..WireRequest::default()
        }
    }

    fn ties(trace: Option<&str>, key: Option<u64>) -> Vec<Tie> {
        Tie::of(&request(trace, key), false)
    }

    /// The head of a response at this second, which asks for a wait of so many seconds.
    fn head(at: u64, wait: Option<u64>) -> ResponseHead {
        ResponseHead {
            seq: at,
            at: Duration::from_secs(at),
            retry_after: wait.map(|wait| RetryAfter::seconds(Duration::from_secs(wait))),
        }
    }

    #[test]
    fn one_call_ties_all_and_else_only_a_trace_or_a_key_does() {
        let both = request(Some("t"), Some(7));
        let neither = request(None, None);
        let (trace, key) = (
            Tie::Trace("t".to_owned()),
            Tie::IdempotencyKey(ValueHash(7)),
        );

        assert_eq!(Tie::of(&both, true), [Tie::OneCall]);
        assert_eq!(Tie::of(&neither, true), [Tie::OneCall]);
        assert_eq!(Tie::of(&both, false), [trace, key]);
        assert_eq!(Tie::of(&neither, false), []);
    }

    #[test]
    fn one_tie_on_the_same_route_is_enough_and_needed() {
        let mut waits = Waits::new(4);
        let asked = head(0, Some(10));
        waits.responded(ROUTE, &ties(Some("t"), Some(7)), asked);
        waits.responded(ROUTE, &ties(None, None), asked);

        for (route, trace, key, is_tied) in [
            (ROUTE, Some("t"), None, true),
            (ROUTE, Some("other"), Some(7), true),
            (ROUTE, None, None, false),
            (ROUTE, Some("other"), Some(8), false),
            ("/other", Some("t"), Some(7), false),
        ] {
            let newest = waits.newest(route, &ties(trace, key)).map(|(head, _)| head);

            let expected = is_tied.then_some(asked);
            assert_eq!(newest, expected, "{route} {trace:?} {key:?}");
        }
    }

    #[test]
    fn a_wait_is_over_at_its_end_and_not_before() {
        let asked = head(1, Some(10));

        let early = [0, 1, 10, 11, 12].map(|at| asked.early_by(Duration::from_secs(at)));

        assert_eq!(early.map(|early| early.as_secs()), [10, 10, 1, 0, 0]);
        assert_eq!(head(1, None).early_by(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn the_newest_response_to_any_tied_request_counts() {
        let mut waits = Waits::new(4);
        waits.responded(ROUTE, &ties(Some("t"), None), head(1, Some(10)));
        waits.responded(ROUTE, &ties(None, Some(7)), head(2, None));
        let both = ties(Some("t"), Some(7));

        let newest = |waits: &Waits| waits.newest(ROUTE, &both).map(|(head, _)| head);
        assert_eq!(newest(&waits), Some(head(2, None)));
        waits.responded(ROUTE, &ties(Some("t"), None), head(3, Some(5)));
        assert_eq!(newest(&waits), Some(head(3, Some(5))));
        waits.responded(ROUTE, &both, head(4, None));
        assert_eq!(newest(&waits), Some(head(4, None)));
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut waits = Waits::new(2);
        let of_trace = |trace| ties(Some(trace), None);

        for trace in ["1", "2", "3"] {
            waits.responded(ROUTE, &of_trace(trace), head(0, Some(10)));
        }

        let known = ["1", "2", "3"].map(|trace| waits.newest(ROUTE, &of_trace(trace)).is_some());
        assert_eq!(known, [false, true, true]);
    }
}
