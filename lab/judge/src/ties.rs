//! Which requests of a record belong to one call, and why.
//!
//! Made once from the record; rules read it and never guess. What ties two requests, and
//! when one of them is too early, is a definition of [`wire`], which the host shares. A tie
//! may be in doubt: then it breaks no rule.
//! Waits and repetitions are ties on one route. A record may hold many thousands of
//! requests, so the earlier ones are looked up by what they share.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    time::Duration,
};

use wire::{ResponseHead, RetryAfter, Tie, Waits, WireRecord, WireRequest};

/// The ties of a record: its waits and its repetitions, each in order of arrival.
#[derive(Clone, Debug)]
pub struct Ties<'a> {
    sender: Sender<'a>,
    waits: Vec<Wait<'a>>,
    repeats: Vec<Repeat<'a>>,
    has_twins: bool,
}

/// Why two requests belong to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Every request belongs to it.
    OneCall,
    /// They name one trace.
    Trace,
    /// They carry one idempotency key.
    IdempotencyKey,
    /// The later one may be the earlier one again, sent by a transport that lost its
    /// connection, below whatever decides about retries.
    TransportReplay,
    /// The later one may be the earlier one's twin, which had left before the response to
    /// the earlier one was there.
    OnItsWay,
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
    /// By how much the next request came too early; zero if it did not.
    pub early_by: Duration,
    /// Why both belong to one call.
    pub why: Reason,
}

/// A request that repeats one which had ended: the same method, route, call, cursor and
/// body.
#[derive(Clone, Copy, Debug)]
struct Repeat<'a> {
    first: &'a WireRequest,
    next: &'a WireRequest,
    why: Reason,
}

impl Reason {
    /// Why the later request may not be the client's decision about the earlier one.
    #[must_use]
    pub fn doubt(self) -> Option<&'static str> {
        match self {
            Self::OneCall | Self::Trace | Self::IdempotencyKey => None,
            Self::TransportReplay => Some("the transport may have resent the request"),
            Self::OnItsWay => Some(
                "this client sends a request twice at once, and the second one may have left \
                 before the response arrived",
            ),
        }
    }
}

impl<'a> Ties<'a> {
    /// Those of a record, of a client that is not known to send a request twice at once.
    #[must_use]
    pub fn of(wire: &'a WireRecord) -> Self {
        Self::with(wire, false)
    }

    /// Those of a record, of a client that `hedges`: that sends a request twice at once.
    #[must_use]
    pub fn with(wire: &'a WireRecord, hedges: bool) -> Self {
        let sender = Sender::of(wire, hedges);
        let (repeats, has_twins) = repeats(&sender);
        Self {
            waits: waits(&sender),
            repeats,
            has_twins,
            sender,
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
        let early = self.waits.iter().filter(|wait| !wait.early_by.is_zero());
        early.count() as u64
    }

    /// Every request that was repeated, and the next one like it, except where that is in
    /// doubt.
    pub fn repetitions(&self) -> impl Iterator<Item = (&'a WireRequest, &'a WireRequest)> {
        let clear = self
            .repeats
            .iter()
            .filter(|repeat| repeat.why.doubt().is_none());
        clear.map(|repeat| (repeat.first, repeat.next))
    }

    /// Every request that may have been repeated, the next one like it, and the reason to
    /// doubt it.
    pub fn doubtful(
        &self,
    ) -> impl Iterator<Item = (&'a WireRequest, &'a WireRequest, &'static str)> {
        let repeats = self.repeats.iter();
        repeats.filter_map(|repeat| Some((repeat.first, repeat.next, repeat.why.doubt()?)))
    }

    /// Whether two requests of one call that ask for the same were in flight at once.
    #[must_use]
    pub fn has_twins(&self) -> bool {
        self.has_twins
    }

    /// Every request that came when this one was over, on any route, and why it belongs to
    /// the same call; none if that is not known.
    pub fn after(
        &self,
        first: &'a WireRequest,
    ) -> impl Iterator<Item = (&'a WireRequest, Option<Reason>)> {
        let over = first.head.unwrap_or(first.arrived);
        let first_ties = self.sender.ties(first);
        let entries = self.sender.wire.entries.iter();
        let later = entries.filter(move |entry| entry.seq > first.seq && entry.arrived >= over);
        later.map(move |next| {
            let ties = self.sender.ties(next);
            let common = ties.iter().find(|tie| first_ties.contains(tie));
            (next, common.map(|tie| self.sender.why(tie, first, next)))
        })
    }

    /// The attempts at each job: POSTs of one call, as far as the service knows it, or else
    /// of one body. An attempt whose body no call has is one at the job of its key.
    #[must_use]
    pub fn jobs(&self) -> Vec<Vec<&'a WireRequest>> {
        let posts = || {
            self.sender
                .wire
                .entries
                .iter()
                .filter(|entry| submits(entry))
        };
        let keys = posts().filter_map(|post| Some((post.idempotency_key?, post.call?)));
        let call_of: HashMap<_, _> = keys.collect();
        let mut jobs: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for post in posts() {
            let key = post.idempotency_key;
            let of_key = || call_of.get(&key?).copied();
            let intended = post.call.or_else(of_key).ok_or(post.body);
            jobs.entry(intended).or_default().push(post);
        }
        jobs.into_values().collect()
    }
}

/// Whether it is an attempt at a job. A service that fails early may know only the call of
/// the body, and not the result of the job.
fn submits(request: &WireRequest) -> bool {
    request.method == "POST" && (request.call.is_some() || request.job.is_some())
}

/// The facts about the sender of a record.
#[derive(Clone, Debug)]
struct Sender<'a> {
    wire: &'a WireRecord,
    hedges: bool,
    /// When each connection ended.
    ended: HashMap<u64, Duration>,
}

/// How long after a response was written a request may arrive that left before the
/// response was there; also, by how much the record of a connection's end may be late.
const ON_ITS_WAY: Duration = Duration::from_millis(5);

impl<'a> Sender<'a> {
    fn of(wire: &'a WireRecord, hedges: bool) -> Self {
        let connections = wire.connections.iter();
        let ended =
            connections.filter_map(|connection| Some((connection.number, connection.closed?.at)));
        Self {
            wire,
            hedges,
            ended: ended.collect(),
        }
    }

    /// The evidence that ties a request to others.
    fn ties(&self, request: &WireRequest) -> Vec<Tie> {
        Tie::of(request, self.wire.one_call)
    }

    /// Why a request that is tied to an earlier one belongs to its call.
    fn why(&self, tie: &Tie, earlier: &WireRequest, next: &WireRequest) -> Reason {
        match tie {
            _ if self.may_be_replayed(earlier, next) => Reason::TransportReplay,
            _ if self.may_have_been_on_its_way(earlier, next) => Reason::OnItsWay,
            Tie::OneCall => Reason::OneCall,
            Tie::Trace(_) => Reason::Trace,
            Tie::IdempotencyKey(_) => Reason::IdempotencyKey,
        }
    }

    /// The wait that the newest response asked of a request, if it did.
    fn wait(&self, newest: ResponseHead, next: &'a WireRequest, tie: &Tie) -> Option<Wait<'a>> {
        let entries = &self.wire.entries;
        let position = entries.binary_search_by_key(&newest.seq, |request| request.seq);
        let asked_by = entries.get(position.ok()?)?;
        Some(Wait {
            asked_by,
            retry_after: newest.retry_after?,
            next,
            waited: next.arrived.saturating_sub(newest.at),
            early_by: newest.early_by(next.arrived),
            why: self.why(tie, asked_by, next),
        })
    }

    /// Whether the next request may be this one again, sent by a transport that lost its
    /// connection (RFC 9112 §9.3.1): the connection had been used before, no byte of a
    /// response was sent on it, and it had ended when the next request came.
    fn may_be_replayed(&self, request: &WireRequest, next: &WireRequest) -> bool {
        let was_reused = request.position.is_some_and(|position| position > 1);
        let ended = request
            .connection
            .is_some_and(|number| match self.ended.get(&number) {
                Some(at) => *at <= next.arrived + ON_ITS_WAY,
                None => self.wire.connections_dropped > 0,
            });
        was_reused && request.head.is_none() && next.connection != request.connection && ended
    }

    /// Whether the next request may have left before the response to this one was there,
    /// though it came a little later.
    fn may_have_been_on_its_way(&self, request: &WireRequest, next: &WireRequest) -> bool {
        let is_next_on_it = request.connection.is_some()
            && request.connection == next.connection
            && request.ended.is_some_and(|ended| ended <= next.arrived);
        let since = request.head.map(|head| next.arrived.saturating_sub(head));
        self.hedges && !is_next_on_it && since.is_some_and(|since| since <= ON_ITS_WAY)
    }
}

/// An event of a request. Of two at one moment the older request's comes first, and
/// its arrival before its head.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrived,
    Responded,
}

fn waits<'a>(sender: &Sender<'a>) -> Vec<Wait<'a>> {
    let entries = &sender.wire.entries;
    let arrivals = entries
        .iter()
        .enumerate()
        .map(|(position, request)| (request.arrived, position, Event::Arrived));
    let heads = entries
        .iter()
        .enumerate()
        .filter_map(|(position, request)| Some((request.head?, position, Event::Responded)));
    let mut events: Vec<_> = arrivals.chain(heads).collect();
    events.sort_unstable();

    let mut in_force = Waits::new(usize::MAX);
    let mut waits = Vec::new();
    for (at, position, event) in events {
        let Some(request) = entries.get(position) else {
            continue;
        };
        let ties = sender.ties(request);
        match event {
            Event::Arrived => {
                let newest = in_force.newest(&request.route, &ties);
                let wait = newest.and_then(|(head, tie)| sender.wait(head, request, tie));
                waits.extend(wait);
            }
            Event::Responded => {
                let head = ResponseHead {
                    seq: request.seq,
                    at,
                    retry_after: request.retry_after,
                };
                in_force.responded(&request.route, &ties, head);
            }
        }
    }
    waits
}

/// Each request that is like one which had ended, with the newest of those; and whether one
/// was like another that was still in flight.
fn repeats<'a>(sender: &Sender<'a>) -> (Vec<Repeat<'a>>, bool) {
    let mut like_it: HashMap<_, Vec<(Duration, usize)>> = HashMap::new();
    let mut has_twins = false;
    let entries = sender.wire.entries.iter().enumerate();
    let repeat = |(at, next): (usize, &'a WireRequest)| {
        let ties = sender.ties(next);
        let groups = || ties.iter().map(|tie| (asks_for(next), tie.clone()));
        let over = groups().filter_map(|group| {
            let before = like_it.get(&group)?;
            has_twins |= before.last().is_some_and(|(from, _)| *from > next.arrived);
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
        let (position, tie) = repeated?;
        let first = sender.wire.entries.get(position)?;
        let why = sender.why(&tie, first, next);
        Some(Repeat { first, next, why })
    };
    (entries.filter_map(repeat).collect(), has_twins)
}

/// The content that a request asks for. Requests of one call with the same content repeat
/// each other.
fn asks_for(request: &WireRequest) -> impl Eq + Hash {
    let WireRequest {
        method,
        route,
        call,
        cursor,
        body,
        ..
    } = request;
    (method, route, call, cursor, body)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, option, prelude::*};
    use testkit::ms;
    use wire::{ClosedBy, ConnectionEnd, ValueHash};

    use super::*;
    use crate::rules::testing::Script;

    /// Whether two requests are known to come from one caller with one purpose.
    fn belong_together(wire: &WireRecord, one: &WireRequest, other: &WireRequest) -> bool {
        let trace = one.trace_id.is_some() && one.trace_id == other.trace_id;
        let key = one.idempotency_key.is_some() && one.idempotency_key == other.idempotency_key;
        one.route == other.route && (wire.one_call || trace || key)
    }

    /// Looks at all that came before each request: who asked it to wait.
    fn waits(wire: &WireRecord) -> Vec<(u64, u64)> {
        let asked_by = |next: &WireRequest| {
            let before = wire.entries.iter().filter(|entry| {
                entry.seq < next.seq
                    && entry.head.is_some_and(|head| head <= next.arrived)
                    && belong_together(wire, entry, next)
            });
            let newest = before.max_by_key(|request| request.head)?;
            newest.retry_after.map(|_| (newest.seq, next.seq))
        };
        wire.entries.iter().filter_map(asked_by).collect()
    }

    /// Looks at all that came before each request: which one it repeats, and whether one
    /// like it was in flight.
    fn repetitions(wire: &WireRecord) -> (Vec<(u64, u64)>, bool) {
        let mut has_twins = false;
        let repeated_by = |next: &WireRequest| {
            let before = wire.entries.iter().rev().filter(|entry| {
                entry.seq < next.seq
                    && asks_for(entry) == asks_for(next)
                    && belong_together(wire, entry, next)
            });
            let (over, in_flight): (Vec<_>, Vec<_>) =
                before.partition(|request| request.head.is_none_or(|head| head <= next.arrived));
            has_twins |= !in_flight.is_empty();
            Some((over.first()?.seq, next.seq))
        };
        let pairs = wire.entries.iter().filter_map(repeated_by).collect();
        (pairs, has_twins)
    }

    prop_compose! {
        /// A request of few values, so that many of them are shared. Several may be under
        /// way at once.
        fn request()(
            (arrived, lasts) in (0..12_u64, option::weighted(0.8, 0..6_u64)),
            (post, route) in (any::<bool>(), 0..2),
            (trace, key) in (option::of(0..2_u64), option::of(0..2_u64)),
            (cursor, body) in (option::of(0..2_u64), option::of(0..2_u64)),
            (retry_after, call) in (option::of(0..3_u64), option::of(0..2_u64)),
            (connection, position) in option::of((0..2_u64, 1..3_u64)).prop_map(Option::unzip),
        ) -> WireRequest {
            WireRequest {
                arrived: ms(arrived),
                connection,
                position,
                call,
                head: lasts.map(|lasts| ms(arrived + lasts)),
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
            one_call in any::<bool>(),
            dropped in 0..3_u64,
        ) -> WireRecord {
            entries.sort_by_key(|entry| entry.arrived);
            for (entry, seq) in entries.iter_mut().zip(dropped + 1..) {
                entry.seq = seq;
            }
            WireRecord { entries, dropped, one_call, ..WireRecord::default() }
        }
    }

    /// How much of a response was sent.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Sent {
        Nothing,
        Part,
        Everything,
    }

    /// A request on connection 1, and one that came so many milliseconds after it, on the same
    /// connection or on another one.
    fn two(sent: Sent, position: u64, same: bool, after: u64, end: Option<ClosedBy>) -> WireRecord {
        let first = Script::new().respond(10, 503).on(1, position);
        let first = match sent {
            Sent::Nothing => first.lost(),
            Sent::Part => first.with(|request| request.ended = None),
            Sent::Everything => first,
        };
        let next = first.connection(1, end.map(|by| (11, by)));
        let next = next.respond(10 + after, 200);
        if same {
            next.on(1, position + 1).record()
        } else {
            next.on(2, 1).record()
        }
    }

    const ENDS: [Option<ClosedBy>; 6] = [
        None,
        Some(ClosedBy::Client),
        Some(ClosedBy::Service),
        Some(ClosedBy::Bound),
        Some(ClosedBy::Http2),
        Some(ClosedBy::Reset),
    ];

    #[test]
    fn only_a_lost_request_of_which_nothing_was_answered_may_be_a_transports_replay() {
        use Sent::*;

        for sent in [Nothing, Part, Everything] {
            for position in [1, 2] {
                for (same, end) in ENDS.iter().flat_map(|end| [(true, end), (false, end)]) {
                    let wire = two(sent, position, same, 500, *end);

                    let why = Ties::of(&wire).repeats[0].why;

                    let is_replay = sent == Nothing && position == 2 && !same && end.is_some();
                    let expected = if is_replay {
                        Reason::TransportReplay
                    } else {
                        Reason::OneCall
                    };
                    assert_eq!(why, expected, "{sent:?} {position} {same} {end:?}");
                }
            }
        }
        // Its connection ended only later, or its end is not known.
        let mut wire = two(Nothing, 2, false, 500, Some(ClosedBy::Client));
        wire.connections[0].closed = wire.connections[0]
            .closed
            .map(|end| ConnectionEnd { at: ms(600), ..end });
        assert_eq!(Ties::of(&wire).repeats[0].why, Reason::OneCall);
        (wire.connections, wire.connections_dropped) = (Vec::new(), 1);
        assert_eq!(Ties::of(&wire).repeats[0].why, Reason::TransportReplay);
    }

    #[test]
    fn only_a_client_that_hedges_may_have_sent_a_request_that_comes_right_after_a_response() {
        use Sent::*;

        for sent in [Part, Everything] {
            for (same, after) in [1, 2, 5, 6, 500]
                .iter()
                .flat_map(|gap| [(true, gap), (false, gap)])
            {
                let wire = two(sent, 2, same, *after, None);
                let why = |hedges| Ties::with(&wire, hedges).repeats[0].why;

                let follows_on_it = same && sent == Everything;
                let expected = if *after <= 5 && !follows_on_it {
                    Reason::OnItsWay
                } else {
                    Reason::OneCall
                };
                assert_eq!(why(true), expected, "{sent:?} {same} {after}");
                assert_eq!(why(false), Reason::OneCall, "{sent:?} {same} {after}");
            }
        }
    }

    #[test]
    fn each_tie_says_why() {
        let request = |seq, trace: Option<&str>, key| WireRequest {
            seq,
            trace_id: trace.map(str::to_owned),
            idempotency_key: key,
            ..WireRequest::default()
        };
        let key = Some(ValueHash(7));
        let (t, u) = (Some("t"), Some("u"));
        for (one_call, first, next, why) in [
            (true, (None, None), (None, None), Some(Reason::OneCall)),
            (false, (t, None), (t, key), Some(Reason::Trace)),
            (false, (None, key), (t, key), Some(Reason::IdempotencyKey)),
            (false, (t, key), (u, None), None),
        ] {
            let entries = vec![request(1, first.0, first.1), request(2, next.0, next.1)];
            let wire = WireRecord {
                entries,
                one_call,
                ..WireRecord::default()
            };

            let ties = Ties::of(&wire);

            let reasons: Vec<_> = ties.repeats.iter().map(|repeat| repeat.why).collect();
            assert_eq!(reasons, Vec::from_iter(why));
            let after = ties
                .after(&wire.entries[0])
                .map(|(next, why)| (next.seq, why));
            assert_eq!(after.collect::<Vec<_>>(), [(2, why)]);
        }
    }

    #[test]
    fn an_attempt_at_a_job_is_known_by_its_call_or_its_key_or_its_body() {
        let post = |(call, key, body): (_, Option<u64>, Option<u64>)| WireRequest {
            method: "POST",
            call,
            idempotency_key: key.map(ValueHash),
            body: body.map(ValueHash),
            job: Some(wire::JobResult::Rejected),
            ..WireRequest::default()
        };
        for (one, other, jobs) in [
            ((Some(0), None, Some(1)), (Some(0), Some(7), Some(2)), 1),
            ((Some(0), None, Some(1)), (Some(1), None, Some(1)), 2),
            ((None, None, Some(1)), (None, Some(7), Some(1)), 1),
            ((None, Some(7), Some(1)), (None, Some(7), Some(2)), 2),
            ((Some(0), Some(7), Some(1)), (None, Some(7), None), 1),
            ((None, Some(7), None), (Some(0), Some(7), Some(1)), 1),
            ((Some(0), Some(7), Some(1)), (None, Some(8), None), 2),
        ] {
            let entries = vec![post(one), post(other)];
            let wire = WireRecord {
                entries,
                ..WireRecord::default()
            };

            assert_eq!(Ties::of(&wire).jobs().len(), jobs, "{:#?}", wire.entries);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn finds_what_a_look_at_every_earlier_request_finds(wire in record()) {
            let ties = Ties::of(&wire);
            let waited: Vec<_> = ties
                .waits()
                .iter()
                .map(|wait| (wait.asked_by.seq, wait.next.seq))
                .collect();
            let clear = ties.repetitions();
            let doubtful = ties.doubtful().map(|(first, next, _)| (first, next));
            let all = clear.chain(doubtful);
            let mut repeated: Vec<_> = all.map(|(first, next)| (first.seq, next.seq)).collect();
            repeated.sort_by_key(|(_, next)| *next);

            prop_assert_eq!(waited, waits(&wire), "waits");
            let (pairs, has_twins) = repetitions(&wire);
            prop_assert_eq!(repeated, pairs, "repetitions");
            prop_assert_eq!(ties.has_twins(), has_twins, "twins");
        }

        #[test]
        fn what_repeats_a_request_comes_after_it_for_the_same_reason(
            wire in record(),
            hedges in any::<bool>(),
        ) {
            let ties = Ties::with(&wire, hedges);
            for repeat in &ties.repeats {
                let mut after = ties.after(repeat.first);
                let why = after.find(|(next, _)| next.seq == repeat.next.seq);

                // A request that was never answered is over from its start.
                if repeat.first.head.is_some() {
                    let doubt = why.and_then(|(_, why)| why).map(Reason::doubt);
                    prop_assert_eq!(doubt, Some(repeat.why.doubt()));
                }
            }
        }
    }
}
