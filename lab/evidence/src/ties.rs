//! Which requests of a record belong to one call, and why.
//!
//! Made once from the record; rules read it and never guess. Requests on one route are
//! tied where they share something that only one call has: the case has one caller, or
//! they name one trace, or they carry one idempotency key. A record may hold many
//! thousands of requests, so the earlier ones are looked up by what they share.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use crate::wire::{RetryAfter, ValueHash, WireRecord, WireRequest};

/// The ties of a record: its waits and its repetitions, each in order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Ties<'a> {
    waits: Vec<Wait<'a>>,
    repeats: Vec<Repeat<'a>>,
}

/// Why two requests belong to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// One caller sent every request, one after the other.
    OnlyCaller,
    /// They name one trace.
    Trace,
    /// They carry one idempotency key.
    IdempotencyKey,
    /// The later one may be the earlier one again, sent by a transport that lost its
    /// connection, below whatever decides about retries.
    TransportReplay,
}

/// A wait that the service asked for, and the request that came next.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// The request whose response asked for it.
    pub asked_by: &'a WireRequest,
    /// The Retry-After of that response.
    pub retry_after: RetryAfter,
    /// The first request of the same call that came after the head of that response.
    pub next: &'a WireRequest,
    /// From the moment before that head was written to the arrival of the next
    /// request: always in the client's favour.
    pub waited: Duration,
    /// Why both belong to one call.
    pub why: Reason,
}

/// A request that repeats one which had ended: the same method, route, cursor and body.
#[derive(Clone, Copy, Debug)]
struct Repeat<'a> {
    first: &'a WireRequest,
    next: &'a WireRequest,
    why: Reason,
}

impl Wait<'_> {
    /// By how much the next request came too early; zero if it did not.
    #[must_use]
    pub fn early_by(&self) -> Duration {
        self.retry_after.early_by(self.waited)
    }

    /// Whether the next request may be the same one, sent again by the transport, so that
    /// nobody has read the Retry-After.
    #[must_use]
    pub fn may_be_a_replay(&self) -> bool {
        self.why == Reason::TransportReplay
    }
}

impl<'a> Ties<'a> {
    /// Those of a record.
    #[must_use]
    pub fn of(wire: &'a WireRecord) -> Self {
        Self {
            waits: waits(wire),
            repeats: repeats(wire),
        }
    }

    /// Every Retry-After that was followed by a request of the same call.
    ///
    /// The newest response counts, of those that were there when the request came: one
    /// without a Retry-After ends an older wait.
    #[must_use]
    pub fn waits(&self) -> &[Wait<'a>] {
        &self.waits
    }

    /// How many requests came before a Retry-After allowed them.
    #[must_use]
    pub fn early(&self) -> u64 {
        let early = self.waits.iter().filter(|it| !it.early_by().is_zero());
        early.count() as u64
    }

    /// Every request that the caller repeated, and the next one like it.
    pub fn repetitions(&self) -> impl Iterator<Item = (&'a WireRequest, &'a WireRequest)> {
        self.repeated(|why| why != Reason::TransportReplay)
    }

    /// Every request that a transport may have sent again, and the next one like it.
    pub fn replays(&self) -> impl Iterator<Item = (&'a WireRequest, &'a WireRequest)> {
        self.repeated(|why| why == Reason::TransportReplay)
    }

    fn repeated(
        &self,
        counts: fn(Reason) -> bool,
    ) -> impl Iterator<Item = (&'a WireRequest, &'a WireRequest)> {
        let repeats = self.repeats.iter().filter(move |it| counts(it.why));
        repeats.map(|it| (it.first, it.next))
    }
}

/// What requests on one route share that belong to one call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shared<'a> {
    OnlyCaller,
    Trace(&'a str),
    IdempotencyKey(ValueHash),
}

impl<'a> Shared<'a> {
    /// What a request shares with others. Where one caller sent them all, the other two
    /// add nothing.
    fn of(wire: &WireRecord, request: &'a WireRequest) -> impl Iterator<Item = Self> + use<'a> {
        let caller = wire.one_caller.then_some(Self::OnlyCaller);
        let others = !wire.one_caller;
        let trace = request.trace_id.as_deref().filter(|_| others);
        let key = request.idempotency_key.filter(|_| others);
        let trace = trace.map(Self::Trace);
        let key = key.map(Self::IdempotencyKey);
        [caller, trace, key].into_iter().flatten()
    }

    /// Why a request that shares this with an earlier one belongs to its call.
    fn reason(self, earlier: &WireRequest, next: &WireRequest) -> Reason {
        match self {
            _ if may_be_replayed(earlier, next) => Reason::TransportReplay,
            Self::OnlyCaller => Reason::OnlyCaller,
            Self::Trace(_) => Reason::Trace,
            Self::IdempotencyKey(_) => Reason::IdempotencyKey,
        }
    }
}

/// Whether the next request may be this one again, sent by a transport that lost its
/// connection (RFC 9112 §9.3.1): the connection had been used before, and the next
/// request came on another. The request may never have arrived.
fn may_be_replayed(request: &WireRequest, next: &WireRequest) -> bool {
    let was_reused = request.position.is_some_and(|position| position > 1);
    was_reused && next.connection != request.connection
}

fn waits<'a>(wire: &'a WireRecord) -> Vec<Wait<'a>> {
    let mut responses: HashMap<_, BTreeMap<_, &WireRequest>> = HashMap::new();
    let entries = wire.entries.iter().enumerate();
    let wait = |(at, next): (usize, &'a WireRequest)| {
        let groups = || Shared::of(wire, next).map(|shared| (&next.route, shared));
        let there = groups().filter_map(|group| {
            let mut in_time = responses.get(&group)?.range(..=(next.arrived, at));
            let (moment, response) = in_time.next_back()?;
            Some((*moment, *response, group.1))
        });
        let newest = there.max_by_key(|(moment, ..)| *moment);
        if let Some(head) = next.head {
            for group in groups() {
                responses.entry(group).or_default().insert((head, at), next);
            }
        }

        let (_, asked_by, shared) = newest?;
        Some(Wait {
            asked_by,
            retry_after: asked_by.retry_after?,
            next,
            waited: next.arrived.saturating_sub(asked_by.head?),
            why: shared.reason(asked_by, next),
        })
    };
    entries.filter_map(wait).collect()
}

/// Each request that is like one which had ended, with the newest of those.
fn repeats<'a>(wire: &'a WireRecord) -> Vec<Repeat<'a>> {
    let mut like_it: HashMap<_, Vec<(Duration, usize)>> = HashMap::new();
    let entries = wire.entries.iter().enumerate();
    let repeat = |(at, next): (usize, &'a WireRequest)| {
        let groups = || Shared::of(wire, next).map(|shared| (asks_for(next), shared));
        let over = groups().filter_map(|group| {
            let before = like_it.get(&group)?;
            let over = before.partition_point(|(from, _)| *from <= next.arrived);
            Some((before.get(over.checked_sub(1)?)?.1, group.1))
        });
        let repeated = over.max_by_key(|(position, _)| *position);
        // No head ever: over from the start.
        let from = next.head.unwrap_or_default();
        for group in groups() {
            // One that is older and over no sooner is never the answer again, so that
            // what stays is in the order of both.
            let before = like_it.entry(group).or_default();
            before.truncate(before.partition_point(|(older, _)| *older < from));
            before.push((from, at));
        }
        let (position, shared) = repeated?;
        let first = wire.entries.get(position)?;
        let why = shared.reason(first, next);
        Some(Repeat { first, next, why })
    };
    entries.filter_map(repeat).collect()
}

/// What a request asks for. Requests of one call that ask for the same repeat each other.
fn asks_for(it: &WireRequest) -> (&str, &str, Option<ValueHash>, Option<ValueHash>) {
    (it.method, &it.route, it.cursor, it.body)
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
                route: format!("/{route}").into(),
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

    #[test]
    fn each_tie_says_why() {
        let request = |trace: Option<&str>, key, position| WireRequest {
            trace_id: trace.map(str::to_owned),
            idempotency_key: key,
            connection: Some(position),
            position: Some(position),
            ..WireRequest::default()
        };
        let key = Some(ValueHash(7));
        for (one_caller, first, next, why) in [
            (
                true,
                request(None, None, 1),
                request(None, None, 1),
                Reason::OnlyCaller,
            ),
            (
                false,
                request(Some("t"), None, 1),
                request(Some("t"), key, 1),
                Reason::Trace,
            ),
            (
                false,
                request(None, key, 1),
                request(Some("t"), key, 1),
                Reason::IdempotencyKey,
            ),
            (
                true,
                request(None, None, 2),
                request(None, None, 1),
                Reason::TransportReplay,
            ),
        ] {
            let entries = vec![first, next];
            let wire = WireRecord {
                entries,
                one_caller,
                ..WireRecord::default()
            };

            let ties = Ties::of(&wire);

            let reasons: Vec<_> = ties.repeats.iter().map(|it| it.why).collect();
            assert_eq!(reasons, [why]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn finds_what_a_look_at_every_earlier_request_finds(wire in record()) {
            let ties = Ties::of(&wire);
            let waited: Vec<_> = ties.waits().iter().map(|it| (it.asked_by.seq, it.next.seq)).collect();
            let pairs = ties.repetitions().map(|(first, next)| (first.seq, next.seq, false));
            let replays = ties.replays().map(|(first, next)| (first.seq, next.seq, true));
            let mut repeated: Vec<_> = pairs.chain(replays).collect();
            repeated.sort_by_key(|(_, next, _)| *next);

            prop_assert_eq!(waited, waits(&wire), "waits");
            prop_assert_eq!(repeated, repetitions(&wire), "repetitions");
        }
    }
}
