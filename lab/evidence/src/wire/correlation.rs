//! Which requests belong together, and what that says of them: which came after a wait,
//! and which repeat an earlier one.
//!
//! Requests on one route belong together where they share a correlation key: one caller
//! sent them all, or they name one trace, or they carry one idempotency key. A record may
//! hold many thousands of requests, so what is asked of the earlier ones is looked up by
//! these keys.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use super::{RetryAfter, ValueHash, WireRecord, WireRequest};

/// A wait that the service asked for, and the request that came next.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// The request whose response asked for it.
    pub asked_by: &'a WireRequest,
    /// The Retry-After of that response.
    pub retry_after: RetryAfter,
    /// The first request on the same route that came after the head of that response.
    pub next: &'a WireRequest,
    /// From the moment before that head was written to the arrival of the next
    /// request: always in the client's favour.
    pub waited: Duration,
}

impl Wait<'_> {
    /// By how much the next request came too early; zero if it did not.
    #[must_use]
    pub fn early_by(&self) -> Duration {
        self.retry_after.wait().saturating_sub(self.waited)
    }

    /// Whether the next request may be the same one, sent again by the transport, so that
    /// nobody has read the Retry-After.
    #[must_use]
    pub fn may_be_a_replay(&self) -> bool {
        self.asked_by.may_be_replayed_by(self.next)
    }
}

/// What requests on one route share that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Correlation<'a> {
    Caller,
    Trace(&'a str),
    IdempotencyKey(ValueHash),
}

impl WireRecord {
    /// Every Retry-After that was followed by a request of the same caller, in order.
    ///
    /// The newest response counts, of those that were there when the request came: one
    /// without a Retry-After ends an older wait.
    pub fn waits(&self) -> impl Iterator<Item = Wait<'_>> {
        let mut responses: HashMap<_, BTreeMap<_, &WireRequest>> = HashMap::new();
        self.entries
            .iter()
            .enumerate()
            .filter_map(move |(at, next)| {
                let groups = || self.correlations(next).map(|shared| (&next.route, shared));
                let there = groups().filter_map(|group| {
                    let mut in_time = responses.get(&group)?.range(..=(next.arrived, at));
                    in_time.next_back()
                });
                let newest = there.max_by_key(|(moment, _)| *moment);
                let asked_by = newest.map(|(_, response)| *response);
                if let Some(head) = next.head {
                    for group in groups() {
                        responses.entry(group).or_default().insert((head, at), next);
                    }
                }

                let asked_by = asked_by?;
                Some(Wait {
                    asked_by,
                    retry_after: asked_by.retry_after?,
                    next,
                    waited: next.arrived.saturating_sub(asked_by.head?),
                })
            })
    }

    /// Every request that repeats one which had ended: the same method, route, cursor
    /// and body. First the one that is repeated, then the next one like it. Those that
    /// may be a transport's are [replays](Self::replays).
    pub fn repetitions(&self) -> impl Iterator<Item = (&WireRequest, &WireRequest)> {
        let pairs = self.alike();
        pairs.filter(|(first, next)| !first.may_be_replayed_by(next))
    }

    /// Every request that a transport may have sent again by itself, below whatever
    /// decides about retries. First the one that is repeated.
    pub fn replays(&self) -> impl Iterator<Item = (&WireRequest, &WireRequest)> {
        let pairs = self.alike();
        pairs.filter(|(first, next)| first.may_be_replayed_by(next))
    }

    /// Every request that is like one which had ended, and the newest of those.
    fn alike(&self) -> impl Iterator<Item = (&WireRequest, &WireRequest)> {
        let mut like_it: HashMap<_, Vec<(Duration, usize)>> = HashMap::new();
        self.entries
            .iter()
            .enumerate()
            .filter_map(move |(at, next)| {
                let groups = || {
                    self.correlations(next)
                        .map(|shared| (next.asks_for(), shared))
                };
                let over = groups().filter_map(|group| {
                    let before = like_it.get(&group)?;
                    let over = before.partition_point(|(from, _)| *from <= next.arrived);
                    Some(before.get(over.checked_sub(1)?)?.1)
                });
                let repeated = over.max();
                // No head ever: over from the start.
                let from = next.head.unwrap_or_default();
                for group in groups() {
                    // One that is older and over no sooner is never the answer again, so that
                    // what stays is in the order of both.
                    let before = like_it.entry(group).or_default();
                    before.truncate(before.partition_point(|(older, _)| *older < from));
                    before.push((from, at));
                }
                Some((self.entries.get(repeated?)?, next))
            })
    }

    /// What a request shares with those that belong together with it. That one caller
    /// sent them all leaves nothing for the other two to add.
    fn correlations<'a>(
        &self,
        request: &'a WireRequest,
    ) -> impl Iterator<Item = Correlation<'a>> + use<'a> {
        let caller = self.one_caller.then_some(Correlation::Caller);
        let others = !self.one_caller;
        let trace = request.trace_id.as_deref().filter(|_| others);
        let key = request.idempotency_key.filter(|_| others);
        let trace = trace.map(Correlation::Trace);
        let key = key.map(Correlation::IdempotencyKey);
        [caller, trace, key].into_iter().flatten()
    }
}

impl WireRequest {
    /// Whether the next one like it may be this request again, sent by a transport that
    /// lost its connection (RFC 9112 §9.3.1): it had been used before, and the next one
    /// came on another. What was sent on it may never have arrived.
    fn may_be_replayed_by(&self, next: &Self) -> bool {
        let was_reused = self.position.is_some_and(|position| position > 1);
        was_reused && next.connection != self.connection
    }

    /// What it asks for. Requests that ask for the same repeat each other.
    fn asks_for(&self) -> (&str, &str, Option<ValueHash>, Option<ValueHash>) {
        (self.method, &self.route, self.cursor, self.body)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, option, prelude::*};

    use super::*;

    /// Whether two requests are known to come from one caller with one purpose.
    fn belong_together(wire: &WireRecord, one: &WireRequest, other: &WireRequest) -> bool {
        let trace = one.trace_id.is_some() && one.trace_id == other.trace_id;
        let key = one.idempotency_key.is_some() && one.idempotency_key == other.idempotency_key;
        one.route == other.route && (wire.one_caller || trace || key)
    }

    /// Looks at all that came before each request: who asked it to wait.
    fn waits(wire: &WireRecord) -> Vec<(u64, u64)> {
        let asked_by = |next: &WireRequest| {
            let before = wire.entries.iter().filter(|it| {
                it.seq < next.seq
                    && it.head.is_some_and(|head| head <= next.arrived)
                    && belong_together(wire, it, next)
            });
            let newest = before.max_by_key(|it| it.head)?;
            newest.retry_after.map(|_| (newest.seq, next.seq))
        };
        wire.entries.iter().filter_map(asked_by).collect()
    }

    /// Looks at all that came before each request: which one it repeats.
    fn repetitions(wire: &WireRecord) -> Vec<(u64, u64, bool)> {
        let repeated_by = |next: &WireRequest| {
            let mut before = wire.entries.iter().rev().filter(|it| it.seq < next.seq);
            let repeated = before.find(|it| {
                (it.method, &it.route, it.cursor, it.body)
                    == (next.method, &next.route, next.cursor, next.body)
                    && belong_together(wire, it, next)
                    && it.head.is_none_or(|head| head <= next.arrived)
            })?;
            let was_reused = repeated.position.is_some_and(|position| position > 1);
            let is_replay = was_reused && repeated.connection != next.connection;
            Some((repeated.seq, next.seq, is_replay))
        };
        wire.entries.iter().filter_map(repeated_by).collect()
    }

    prop_compose! {
        /// A request of few values, so that many of them are shared. Several may be under
        /// way at once, and clocks need not agree with the order of arrival.
        fn request()(
            (arrived, lasts) in (0..12_u64, option::weighted(0.8, 0..6_u64)),
            (post, route) in (any::<bool>(), 0..2),
            (trace, key) in (option::of(0..2_u64), option::of(0..2_u64)),
            (cursor, body) in (option::of(0..2_u64), option::of(0..2_u64)),
            retry_after in option::of(0..3_u64),
            (connection, position) in option::of((0..2_u64, 1..3_u64)).prop_map(Option::unzip),
        ) -> WireRequest {
            let arrived = Duration::from_millis(arrived);
            WireRequest {
                arrived,
                connection,
                position,
                head: lasts.map(|lasts| arrived + Duration::from_millis(lasts)),
                method: if post { "POST" } else { "GET" },
                route: format!("/{route}"),
                trace_id: trace.map(|trace| trace.to_string()),
                idempotency_key: key.map(ValueHash),
                cursor: cursor.map(ValueHash),
                body: body.map(ValueHash),
                retry_after: retry_after
                    .map(|wait| RetryAfter::seconds(Duration::from_secs(wait))),
                ..WireRequest::default()
            }
        }
    }

    prop_compose! {
        fn record()(
            mut entries in vec(request(), 0..24),
            one_caller in any::<bool>(),
            dropped in 0..3_u64,
            in_order in any::<bool>(),
        ) -> WireRecord {
            if in_order {
                entries.sort_by_key(|it| it.arrived);
            }
            for (entry, seq) in entries.iter_mut().zip(dropped + 1..) {
                entry.seq = seq;
            }
            WireRecord { entries, dropped, one_caller, ..WireRecord::default() }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn finds_what_a_look_at_every_earlier_request_finds(wire in record()) {
            let waited: Vec<_> = wire.waits().map(|it| (it.asked_by.seq, it.next.seq)).collect();
            let pairs = wire.repetitions().map(|(first, next)| (first.seq, next.seq, false));
            let replays = wire.replays().map(|(first, next)| (first.seq, next.seq, true));
            let mut repeated: Vec<_> = pairs.chain(replays).collect();
            repeated.sort_by_key(|(_, next, _)| *next);

            prop_assert_eq!(waited, waits(&wire), "waits");
            prop_assert_eq!(repeated, repetitions(&wire), "repetitions");
        }
    }
}
