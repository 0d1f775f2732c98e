//! The record of a run: each request as the proxy saw it, without a value that could be a
//! secret.

use std::time::Duration;

use serde::Serialize;
use wire::{Stopped, ValueHash, nanoseconds};

use super::{ProxyFault, UpstreamFailure};

/// A run of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyRun {
    /// The kind of the run.
    pub(crate) kind: RunKind,
    /// The requests in order of arrival.
    pub requests: Vec<ProxyRequest>,
    /// How many requests came beyond the bound of a run and were answered with a 503.
    pub dropped: u64,
    /// Requests that were neither forwarded nor faulted, in words: one from a web site, `CONNECT`,
    /// HTTP/2.
    pub refused: Vec<String>,
    /// Whether a response named the upstream where a client may follow it past the proxy.
    pub names_upstream: bool,
    /// How the command ended.
    pub end: CommandEnd,
}

/// The kind of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// Nothing.
    Healthy,
    /// The first request of this route met this fault.
    Fault {
        /// The route, as a template.
        route: String,
        /// The fault.
        fault: ProxyFault,
        /// The wait that `retry-after` asked for, or for how long `hold` held the response.
        lasts: Duration,
    },
}

/// How the command of a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CommandEnd {
    /// Its exit code; none if a signal or the lab ended it.
    pub exit: Option<i32>,
    /// The signal that ended it; none for a signal from the lab.
    pub signal: Option<i32>,
    /// Why the lab ended it; none if the lab did not.
    pub stopped: Option<Stopped>,
    /// How long it ran.
    #[serde(rename = "took_ns", with = "nanoseconds")]
    pub took: Duration,
    /// The last lines of its stderr. They are the command's own words and may hold its
    /// secrets, so no card has them.
    #[serde(skip)]
    pub stderr: Vec<String>,
}

/// A request. All times are counted from the start of its run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxyRequest {
    /// Its number in the run, starting at 1.
    pub seq: u64,
    /// When its head had arrived.
    pub arrived: Duration,
    /// Its method and its path as a template, such as `GET /v1/orders/{}`.
    pub route: String,
    /// The hash of its target with the query.
    pub target: ValueHash,
    /// Its body.
    pub body: Body,
    /// The hash of its idempotency key.
    pub idempotency_key: Option<ValueHash>,
    /// The hashes of all values that name its call, the idempotency key among them.
    pub calls: Vec<ValueHash>,
    /// Which attempt of its call it is, in the words of a client library.
    pub attempt: Option<u64>,
    /// Whether a proxy on the way here says that it sent the request again.
    pub is_repeated_by_a_hop: bool,
    /// Whether it has a precondition, such as `If-None-Match: *`: it is done once at most.
    pub has_precondition: bool,
    /// Whether its target or its body holds the text of `--match`.
    pub holds_text: bool,
    /// Whether its body may hold that text and was not searched: it has a content coding.
    pub is_unsearched: bool,
    /// The upstream's answer to it; none if it was not handed on.
    pub upstream: Option<UpstreamResponse>,
    /// The fault that it was meant to meet.
    pub fault: Option<ProxyFault>,
    /// When the fault was delivered: before the head of its response was written, or when its
    /// connection had ended.
    pub delivered: Option<Duration>,
    /// The status that the client got.
    pub status: Option<u16>,
    /// When its head was written.
    pub head: Option<Duration>,
    /// When its connection was closed.
    pub closed: Option<Duration>,
}

/// The body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// All of its bytes were read, and this is their hash.
    Read(ValueHash),
    /// It was too long, or it broke off: it equals no other.
    Unknown,
}

/// The upstream's answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamResponse {
    /// Its status; none if it sent no response.
    pub status: Option<u16>,
    /// Why it sent none, if that is known.
    pub failure: Option<UpstreamFailure>,
}

impl Default for Body {
    /// The one without a byte.
    fn default() -> Self {
        Self::Read(ValueHash(0))
    }
}

impl ProxyRequest {
    /// Whether both ask for the same: method, target and body are equal byte for byte.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.asks_for()
            .is_some_and(|asked| Some(asked) == other.asks_for())
    }

    /// Whether the upstream did not answer it. A client that did not wait for the answer is
    /// another matter.
    pub(crate) fn is_unanswered(&self) -> bool {
        let is_open = self
            .upstream
            .as_ref()
            .is_some_and(|upstream| upstream.status.is_none());
        is_open && self.status.is_some()
    }

    /// The content that it asks for; none if that is not fully known.
    pub(super) fn asks_for(&self) -> Option<(&str, ValueHash, ValueHash)> {
        match self.body {
            Body::Read(body) => Some((&self.route, self.target, body)),
            Body::Unknown => None,
        }
    }
}

impl ProxyRun {
    /// The same without the requests that came once the lab had asked the command to end: they
    /// are its farewell, and no attempts.
    pub(super) fn without_farewell(mut self) -> Self {
        if self.end.stopped.is_some() {
            let end = self.end.took;
            self.requests.retain(|request| request.arrived <= end);
        }
        self
    }

    /// The requests of a route.
    pub(crate) fn of_route<'a>(&'a self, route: &'a str) -> impl Iterator<Item = &'a ProxyRequest> {
        self.requests
            .iter()
            .filter(move |request| request.route == route)
    }

    /// Whether two requests of a route differ in their targets or bodies.
    pub(super) fn asks_for_different_things(&self, route: &str) -> bool {
        let mut requests = self.of_route(route);
        let first = requests.next();
        first.is_some_and(|first| requests.any(|other| !first.is_same_as(other)))
    }

    /// The request that met the fault of this run.
    #[must_use]
    pub fn target(&self) -> Option<&ProxyRequest> {
        self.requests.iter().find(|request| request.fault.is_some())
    }

    /// Whether it is a run with this fault on this route.
    pub(crate) fn is_of(&self, route: &str, fault: ProxyFault) -> bool {
        matches!(&self.kind, RunKind::Fault { route: of, fault: met, .. } if of == route && *met == fault)
    }

    /// The wait that its fault asked for, or for how long it held a response.
    pub(crate) fn lasts(&self) -> Duration {
        match self.kind {
            RunKind::Healthy => Duration::ZERO,
            RunKind::Fault { lasts, .. } => lasts,
        }
    }

    /// Whether the command bore the control of this run: it waited for the late response, and
    /// succeeded.
    pub(crate) fn is_borne(&self) -> bool {
        let is_delivered = self
            .target()
            .is_some_and(|target| target.delivered.is_some());
        is_delivered && self.end.exit == Some(0)
    }
}
