//! The waits that responses asked for, and who has to keep them.
//!
//! A request is called early only where it is known to belong to the one whose response
//! asked for the wait: they have a correlation key in common. Of any other request
//! nothing is claimed, since a guess could blame a client that did nothing wrong. The memory is bounded, oldest
//! first; to forget is to claim nothing.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use wire::{RetryAfter, ValueHash};

/// What a request has that may correlate it with others on the same route.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Correlation<'a> {
    pub(crate) route: &'a str,
    pub(crate) trace_id: Option<&'a str>,
    pub(crate) idempotency_key: Option<ValueHash>,
}

impl Correlation<'_> {
    /// What it shares with others. Where every request without a trace and a key comes
    /// from one caller, these belong together, too.
    fn keys(&self, one_caller: bool) -> impl Iterator<Item = CorrelationKey> {
        let trace = self.trace_id.map(|id| Common::Trace(id.to_owned()));
        let key = self.idempotency_key.map(Common::IdempotencyKey);
        let is_anonymous = trace.is_none() && key.is_none();
        let caller = (one_caller && is_anonymous).then_some(Common::Caller);
        [trace, key, caller]
            .into_iter()
            .flatten()
            .map(|common| CorrelationKey {
                route: self.route.to_owned(),
                common,
            })
    }
}

/// Two requests with an equal key belong together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct CorrelationKey {
    route: String,
    common: Common,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Common {
    Trace(String),
    IdempotencyKey(ValueHash),
    Caller,
}

/// The waits in force.
#[derive(Debug)]
pub(crate) struct Waits {
    capacity: usize,
    one_caller: bool,
    /// The Retry-After of the newest response, and the moment of its head.
    asked: HashMap<CorrelationKey, Option<(Duration, RetryAfter)>>,
    oldest_first: VecDeque<CorrelationKey>,
}

impl Waits {
    pub(crate) fn new(capacity: usize, one_caller: bool) -> Self {
        Self {
            capacity,
            one_caller,
            asked: HashMap::new(),
            oldest_first: VecDeque::new(),
        }
    }

    /// How much of a wait was left at this moment; none if it was kept.
    pub(crate) fn remaining(&self, request: Correlation<'_>, now: Duration) -> Option<Duration> {
        if self.asked.is_empty() {
            // Most services never ask for a wait: they need no keys made.
            return None;
        }
        let keys = request.keys(self.one_caller);
        let asked = keys.filter_map(|key| self.asked.get(&key).copied().flatten());
        let left = asked.map(|(head, asked)| asked.early_by(now.saturating_sub(head)));
        left.max().filter(|left| !left.is_zero())
    }

    /// Notes what a response whose head was sent at this moment asked for. The newest
    /// response counts, so that one without a wait ends an older wait.
    pub(crate) fn note(&mut self, request: Correlation<'_>, asked: Option<(Duration, RetryAfter)>) {
        if self.asked.is_empty() && asked.is_none() {
            return;
        }
        for key in request.keys(self.one_caller) {
            match self.asked.get_mut(&key) {
                Some(known) => *known = asked,
                None if asked.is_some() => self.remember(key, asked),
                None => {}
            }
        }
    }

    fn remember(&mut self, key: CorrelationKey, asked: Option<(Duration, RetryAfter)>) {
        if self.oldest_first.len() >= self.capacity
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.asked.remove(&oldest);
        }
        self.oldest_first.push_back(key.clone());
        self.asked.insert(key, asked);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::RetryAfter;

    use super::{Correlation, Waits};
    use crate::seed_key::{Purpose, SeedKey};

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A wait of so many seconds that was asked for at the start.
    fn asked(wait: u64) -> Option<(Duration, RetryAfter)> {
        Some((Duration::ZERO, RetryAfter::seconds(seconds(wait))))
    }

    fn request<'a>(route: &'a str, trace: Option<&'a str>, key: Option<&str>) -> Correlation<'a> {
        Correlation {
            route,
            trace_id: trace,
            idempotency_key: key
                .map(|key| SeedKey::new(0).hash(Purpose::IdempotencyKey, key.as_bytes())),
        }
    }

    #[test]
    fn a_wait_is_over_at_its_end_and_not_before() {
        let mut waits = Waits::new(4, false);
        let of_the_trace = request("/a", Some("t"), None);

        waits.note(of_the_trace, asked(10));

        assert_eq!(waits.remaining(of_the_trace, seconds(9)), Some(seconds(1)));
        assert_eq!(waits.remaining(of_the_trace, seconds(10)), None);
        assert_eq!(waits.remaining(of_the_trace, seconds(11)), None);
    }

    #[test]
    fn one_common_key_on_the_same_route_is_enough_and_needed() {
        let mut waits = Waits::new(4, false);
        waits.note(request("/a", Some("t"), Some("k")), asked(10));
        waits.note(request("/a", None, None), asked(10));

        for (asking, is_related) in [
            (request("/a", Some("t"), None), true),
            (request("/a", Some("other"), Some("k")), true),
            (request("/a", None, None), false),
            (request("/a", Some("other"), Some("other")), false),
            (request("/b", Some("t"), Some("k")), false),
        ] {
            let remaining = waits.remaining(asking, seconds(0));

            let expected = is_related.then_some(seconds(10));
            assert_eq!(remaining, expected, "{asking:?}");
        }
    }

    #[test]
    fn one_caller_is_known_by_having_neither_trace_nor_key() {
        let of_one_caller = |route, trace| request(route, trace, None);
        let mut waits = Waits::new(4, true);
        waits.note(of_one_caller("/a", None), asked(10));

        let again = waits.remaining(of_one_caller("/a", None), seconds(4));
        let elsewhere = waits.remaining(of_one_caller("/b", None), seconds(4));
        let traced = waits.remaining(of_one_caller("/a", Some("t")), seconds(4));

        assert_eq!(again, Some(seconds(6)));
        assert_eq!((elsewhere, traced), (None, None));
    }

    #[test]
    fn the_newest_response_counts() {
        let mut waits = Waits::new(4, false);
        let of_the_trace = request("/a", Some("t"), None);

        waits.note(of_the_trace, asked(10));
        waits.note(of_the_trace, None);

        assert_eq!(waits.remaining(of_the_trace, seconds(0)), None);
    }

    #[test]
    fn its_memory_is_bounded() {
        let mut waits = Waits::new(2, false);
        let of_trace = |trace| request("/a", Some(trace), None);

        for trace in ["1", "2", "3"] {
            waits.note(of_trace(trace), asked(10));
        }

        assert_eq!(waits.remaining(of_trace("1"), seconds(0)), None);
        assert!(waits.remaining(of_trace("2"), seconds(0)).is_some());
        assert!(waits.remaining(of_trace("3"), seconds(0)).is_some());
    }
}
