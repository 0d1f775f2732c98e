//! The state of one run: its requests so far, and the one that its fault is for.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use host::{ConnectionPosition, Purpose, SeedKey, accept::ConnectionObserver, watched_body::Watch};
use http::{HeaderMap, Request, header::CONTENT_ENCODING};
use tokio::{sync::Notify, time::Instant};
use wire::ClosedBy;

use super::{
    body_digest::BodyDigest,
    inspect::inspect,
    routes::{Templates, base, holding, shape},
};
use crate::{Body, ProxyFault, ProxyRequest, Setup, UpstreamResponse};

/// The most requests of a run. More are answered with a 503, and not recorded.
const MOST: usize = 3_000;

/// The longest body that is hashed, in bytes. A longer one passes, and equals no other.
pub(super) const HASHED: usize = 8 * 1024 * 1024;

/// Which request meets which fault: the first of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The routes that are told apart.
    pub(crate) templates: Templates,
    /// One of them.
    pub(crate) route: String,
    /// The fault.
    pub(crate) fault: ProxyFault,
    /// The wait that `retry-after` asks for, or for how long `hold` holds the response.
    pub lasts: Duration,
}

impl Aim {
    /// The first request of a route meets a fault in its first form.
    #[must_use]
    pub fn at(route: &str, fault: ProxyFault) -> Self {
        Self {
            templates: Templates::default(),
            route: route.to_owned(),
            fault,
            lasts: fault.lasts(),
        }
    }
}

/// The record of one run while it is written.
pub(super) struct Session {
    begun: Instant,
    key: SeedKey,
    setup: Arc<Setup>,
    aim: Option<Aim>,
    /// Notified when a request has met the fault.
    pub(super) hit: Notify,
    state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) requests: Vec<ProxyRequest>,
    /// The connection of each.
    connections: Vec<Option<u64>>,
    pub(super) dropped: u64,
    pub(super) refused: Vec<String>,
    pub(super) names_upstream: bool,
    has_aimed: bool,
    /// Whether the proxy itself closes what is still open.
    is_over: bool,
}

/// A request of the record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    index: usize,
}

impl Session {
    pub(super) fn new(aim: Option<Aim>, setup: Arc<Setup>, begun: Instant) -> Self {
        Self {
            begun,
            key: SeedKey::new(rand::random()),
            setup,
            aim,
            hit: Notify::new(),
            state: Mutex::default(),
        }
    }

    /// Whether every response of this run closes its connection.
    pub(super) fn closes_connections(&self) -> bool {
        self.aim
            .as_ref()
            .is_some_and(|aim| aim.fault.ends_the_connection())
    }

    pub(super) fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Sound after each step, so a panic elsewhere leaves nothing to mend.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the arrival of a request; none if there were too many.
    pub(super) fn arrived<B>(&self, request: &Request<B>) -> Option<Entry> {
        let arrived = self.now();
        let route = shape(request.method().as_str(), request.uri().path());
        let inspected = inspect(
            &self.key,
            request.uri(),
            request.headers(),
            &self.setup.call_headers,
        );
        let target = request
            .uri()
            .path_and_query()
            .map_or("/", |target| target.as_str());
        let holds_text = self
            .setup
            .text
            .as_ref()
            .is_some_and(|text| target.contains(text));
        let position = request.extensions().get::<ConnectionPosition>();
        let mut state = self.state();
        let index = state.requests.len();
        if index >= MOST {
            state.dropped += 1;
            return None;
        }
        state
            .connections
            .push(position.map(|position| position.connection));
        state.requests.push(ProxyRequest {
            seq: index as u64 + 1,
            arrived,
            route,
            // Until it has been read.
            body: Body::Unknown,
            holds_text,
            is_unsearched: self.setup.text.is_some() && has_coding(request.headers()),
            ..inspected
        });
        Some(Entry { index })
    }

    /// Whether the fault may be for a request, as far as its head tells: only its body can hold
    /// the text that is looked for.
    pub(super) fn waits_for_text(&self, entry: Entry) -> bool {
        let state = self.state();
        let request = state.requests.get(entry.index);
        self.setup.text.is_some()
            && request
                .is_some_and(|request| !request.holds_text && self.is_aimed_at(&state, request))
    }

    /// The fault that a request meets, once its body was read as far as that matters.
    pub(super) fn meets(&self, entry: Entry) -> Option<(ProxyFault, Duration)> {
        let mut state = self.state();
        let request = state.requests.get(entry.index)?;
        let holds_text = self.setup.text.is_none() || request.holds_text;
        let aim = self
            .aim
            .as_ref()
            .filter(|_| holds_text && self.is_aimed_at(&state, request))?;
        state.has_aimed = true;
        if let Some(request) = state.requests.get_mut(entry.index) {
            request.fault = Some(aim.fault);
        }
        Some((aim.fault, aim.lasts))
    }

    /// Whether a request is of the route that is aimed at, and the fault has met none.
    fn is_aimed_at(&self, state: &State, request: &ProxyRequest) -> bool {
        let is_of = |aim: &Aim| aim.templates.route(&request.route) == base(&aim.route);
        !state.has_aimed && self.aim.as_ref().is_some_and(is_of)
    }

    /// Watches the body of a request.
    pub(super) fn watch(self: &Arc<Self>, entry: Entry, headers: &HeaderMap) -> impl Watch + use<> {
        Hashing {
            session: Arc::clone(self),
            entry,
            digest: Some(BodyDigest::new(self.key.digest(Purpose::Body), headers)),
            read: 0,
            search: self.setup.text.clone().map(Search::of),
        }
    }

    /// Changes the entry of a request.
    pub(super) fn note(&self, entry: Entry, change: impl FnOnce(&mut ProxyRequest, Duration)) {
        let now = self.now();
        if let Some(request) = self.state().requests.get_mut(entry.index) {
            change(request, now);
        }
    }

    /// Notes the head of the client's response, before it is written.
    pub(super) fn responded(&self, entry: Entry, status: u16, delivers: bool) {
        self.note(entry, |request, now| {
            request.status = Some(status);
            request.head = Some(now);
            request.delivered = delivers.then_some(now);
        });
    }

    /// Notes that a request was handed on, and what came of that.
    pub(super) fn handed_on(&self, entry: Entry, response: UpstreamResponse) {
        self.note(entry, |request, _| request.upstream = Some(response));
    }

    /// All that was recorded. Requests that hold the text are named so.
    pub(super) fn take(&self) -> State {
        let mut state = std::mem::take(&mut *self.state());
        for request in &mut state.requests {
            if let Some(text) = self.setup.text.as_ref().filter(|_| request.holds_text) {
                request.route = holding(&request.route, text);
            }
        }
        state
    }

    /// From now on the proxy closes connections, and not the client.
    pub(super) fn end(&self) {
        self.state().is_over = true;
    }

    /// Notes what was neither forwarded nor faulted.
    pub(super) fn refused(&self, what: &str) {
        let mut state = self.state();
        // Once is enough for the card, and a flood of them would fill the memory.
        if !state.refused.iter().any(|refusal| refusal == what) {
            state.refused.push(what.to_owned());
        }
    }
}

/// Whether a body is compressed, or coded in another way.
fn has_coding(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

impl ConnectionObserver for Session {
    fn opened(&self, _: u64) {}

    fn closed(&self, connection: u64, by: ClosedBy, _: u64) {
        let now = self.now();
        if by == ClosedBy::Http2 {
            self.refused("HTTP/2; the proxy speaks HTTP/1.1");
        }
        let mut state = self.state();
        if state.is_over {
            return;
        }
        let State {
            requests,
            connections,
            ..
        } = &mut *state;
        for (request, of) in requests.iter_mut().zip(connections) {
            if *of != Some(connection) || request.closed.is_some() {
                continue;
            }
            request.closed = Some(now);
            let is_lost =
                request.fault == Some(ProxyFault::LostResponse) && request.status.is_none();
            if is_lost
                && request
                    .upstream
                    .as_ref()
                    .is_some_and(|upstream| upstream.status.is_some())
            {
                request.delivered = Some(now);
            }
        }
    }
}

/// Hashes a body while it is read.
struct Hashing {
    session: Arc<Session>,
    entry: Entry,
    /// None once it is too long.
    digest: Option<BodyDigest>,
    read: usize,
    /// None if no text is looked for, or if it was found.
    search: Option<Search>,
}

/// The search for a text in a body that comes in pieces.
struct Search {
    text: String,
    /// The end of the bytes so far, shorter than the text.
    tail: Vec<u8>,
}

impl Search {
    fn of(text: String) -> Self {
        let tail = Vec::new();
        Self { text, tail }
    }

    /// Whether the text ends in the next bytes.
    fn finds(&mut self, data: &[u8]) -> bool {
        let text = self.text.as_bytes();
        self.tail.extend_from_slice(data);
        let is_found = self
            .tail
            .windows(text.len().max(1))
            .any(|part| part == text);
        let surplus = self.tail.len().saturating_sub(text.len().saturating_sub(1));
        self.tail.drain(..surplus);
        is_found
    }
}

impl Watch for Hashing {
    fn data(&mut self, data: &[u8]) {
        self.read += data.len();
        match &mut self.digest {
            Some(digest) if self.read <= HASHED => digest.update(data),
            _ => self.digest = None,
        }
        if self
            .search
            .as_mut()
            .is_some_and(|search| search.finds(data))
        {
            self.search = None;
            let session = &self.session;
            session.note(self.entry, |request, _| request.holds_text = true);
        }
    }

    fn failed(&mut self, _: &axum::Error) {
        self.digest = None;
    }

    /// A body without a declared length ends when it says so, another after its last byte.
    fn dropped(&mut self, is_whole: bool) {
        let digest = self.digest.take().filter(|_| is_whole);
        let body = digest.map_or(Body::Unknown, |digest| Body::Read(digest.finish()));
        self.session
            .note(self.entry, |request, _| request.body = body);
    }
}
