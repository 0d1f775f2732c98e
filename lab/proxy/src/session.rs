//! What one run has seen so far, and the request that its fault is for.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use host::{ConnectionPosition, Purpose, SeedKey, accept::ConnectionObserver, watched_body::Watch};
use http::{HeaderName, Request};
use tokio::{sync::Notify, time::Instant};
use wire::ClosedBy;

use super::inspect::inspect;
use crate::{Body, ProxyFault, ProxyRequest, Templates, UpstreamResponse, shape};

/// The most requests of a run. More are answered with a 503, and not recorded.
const MOST: usize = 3_000;

/// The longest body that is hashed, in bytes. A longer one passes, and equals no other.
const HASHED: usize = 8 * 1024 * 1024;

/// Which request meets which fault: the first of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    /// The routes that are told apart.
    pub templates: Templates,
    /// One of them.
    pub route: String,
    /// The fault.
    pub fault: ProxyFault,
}

/// The record of one run while it is written.
pub(super) struct Session {
    begun: Instant,
    key: SeedKey,
    call_headers: Vec<HeaderName>,
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
    /// The fault that it meets.
    pub(super) fault: Option<ProxyFault>,
}

impl Session {
    pub(super) fn new(aim: Option<Aim>, call_headers: Vec<HeaderName>, begun: Instant) -> Self {
        Self {
            begun,
            key: SeedKey::new(rand::random()),
            call_headers,
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
        let method = request.method();
        let shape = shape(method.as_str(), request.uri().path());
        let inspected = inspect(
            &self.key,
            request.uri(),
            request.headers(),
            &self.call_headers,
        );
        let position = request.extensions().get::<ConnectionPosition>();
        let mut state = self.state();
        let index = state.requests.len();
        if index >= MOST {
            state.dropped += 1;
            return None;
        }
        let meets = |aim: &&Aim| !state.has_aimed && aim.templates.route(&shape) == aim.route;
        let fault = self.aim.as_ref().filter(meets).map(|aim| aim.fault);
        state.has_aimed |= fault.is_some();
        state
            .connections
            .push(position.map(|position| position.connection));
        state.requests.push(ProxyRequest {
            seq: index as u64 + 1,
            arrived,
            route: shape,
            // Until it has been read.
            body: Body::Unknown,
            fault,
            ..inspected
        });
        Some(Entry { index, fault })
    }

    /// Watches the body of a request.
    pub(super) fn watch(self: &std::sync::Arc<Self>, entry: Entry) -> impl Watch {
        Hashing {
            session: std::sync::Arc::clone(self),
            entry,
            digest: Some(self.key.digest(Purpose::Body)),
            read: 0,
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

    /// Notes that a request was handed on, and with what status.
    pub(super) fn handed_on(&self, entry: Entry, status: Option<u16>) {
        self.note(entry, |request, _| {
            request.upstream = Some(UpstreamResponse { status });
        });
    }

    /// From now on the proxy closes connections, and not the client.
    pub(super) fn end(&self) {
        self.state().is_over = true;
    }

    /// Notes what was neither forwarded nor faulted.
    pub(super) fn refused(&self, what: &str) {
        let mut state = self.state();
        // Once is enough for the card, and a flood of them would fill the memory.
        if !state.refused.iter().any(|it| it == what) {
            state.refused.push(what.to_owned());
        }
    }
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
        let of_it = requests.iter_mut().zip(connections);
        let of_it =
            of_it.filter(|(request, of)| **of == Some(connection) && request.closed.is_none());
        for (request, _) in of_it {
            request.closed = Some(now);
            let is_lost =
                request.fault == Some(ProxyFault::LostResponse) && request.status.is_none();
            if is_lost && request.upstream.is_some_and(|it| it.status.is_some()) {
                request.delivered = Some(now);
            }
        }
    }
}

/// Hashes a body while it is read.
struct Hashing {
    session: std::sync::Arc<Session>,
    entry: Entry,
    /// None once it is too long.
    digest: Option<host::KeyedDigest>,
    read: usize,
}

impl Watch for Hashing {
    fn data(&mut self, data: &[u8]) {
        self.read += data.len();
        match &mut self.digest {
            Some(digest) if self.read <= HASHED => digest.update(data),
            _ => self.digest = None,
        }
    }

    fn failed(&mut self, _: &axum::Error) {
        self.digest = None;
    }

    /// A body without a declared length ends when it says so, another after its last byte.
    fn dropped(&mut self, is_whole: bool) {
        let digest = self.digest.take().filter(|_| is_whole);
        let body = digest.map_or(Body::Unknown, |digest| Body::Read(digest.to_hash()));
        self.session
            .note(self.entry, |request, _| request.body = body);
    }
}
