//! The observation of every request: its span, its numbers, its ledger entry.
//!
//! Scrapes of `/metrics` are not observed, so that reading the numbers does not change
//! them.

use std::cell::LazyCell;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, Method, StatusCode, Version};
use hyper::body::Body as _;
use tracing::{Span, field};
use wire::header_lines::{lines, single};
use wire::{
    FaultLabel, IssuedCursor, JobResult, RecordedHeader, RequestId, ResponseHead, RetryAfter, Tie,
    ValueHash, WireRequest,
};

use crate::accept::{ConnectionFault, ConnectionPosition};
use crate::admission::{loopback, single_str};
use crate::instruments::RouteInstruments;
use crate::ledger::{Arrival, Outcome};
use crate::metrics_sink::METRICS_PATH;
use crate::query::only;
use crate::recorded_exchange::{Recorded, RequestShape};
use crate::request_body::BodyHash;
use crate::seed_key::{Purpose, SeedKey};
use crate::state::HostState;
use crate::telemetry::{KnownMethod, REQUEST_SPAN, SPAN_TARGET};
use crate::traceparent::TraceParent;
use crate::watched_body::{Watch, watched};

/// The header that carries an idempotency key.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The `next_cursor` of the page in a response; none where it is `null`.
///
/// A route puts it into the extensions of its response, as it does a [`JobResult`] and a
/// [`FaultLabel`]; nothing of it is sent. The ledger keeps a hash of it, made in the same
/// way as that of a cursor which was sent, so that the two can be compared.
#[derive(Clone, PartialEq, Eq)]
#[expect(missing_debug_implementations, reason = "it is a secret")]
pub struct NextCursor(pub Option<String>);

/// One request from arrival to its response. Dropped without a response, because its
/// connection died or its body broke off, it still closes its entry and its gauge.
pub(crate) struct Observation {
    state: HostState,
    pub(crate) span: Span,
    method: KnownMethod,
    arrived: Duration,
    seq: u64,
    route: Arc<RouteInstruments>,
    ties: Vec<Tie>,
    /// None if the request has no body.
    body: Option<BodyHash>,
    fault: Option<FaultLabel>,
    job: Option<JobResult>,
}

impl Observation {
    /// Notes the arrival of a request, and opens its span. Its body is hashed as it is
    /// read from here on. A scrape is not observed.
    pub(crate) fn begin(
        state: HostState,
        request: &mut Request,
        request_id: &RequestId,
    ) -> Option<Self> {
        let route = request.extensions().get::<MatchedPath>();
        let route = route.map(MatchedPath::as_str);
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if route == Some(METRICS_PATH) && is_read {
            return None;
        }
        let parent = TraceParent::from_headers(request.headers());
        let mut observation = Self::of(state, request, route, parent.as_ref(), request_id);
        observation.span = open_span(
            request,
            observation.route.span_name(observation.method),
            observation.method,
            route,
            parent.as_ref(),
            request_id,
        );
        if let Some(hook) = &observation.state.on_request_span {
            hook(&observation.span, request.headers());
        }
        if let Some(hash) = observation.body.clone() {
            let body = mem::take(request.body_mut());
            *request.body_mut() = watched(body, hash);
        }
        Some(observation)
    }

    fn of(
        state: HostState,
        request: &Request,
        route: Option<&str>,
        parent: Option<&TraceParent>,
        request_id: &RequestId,
    ) -> Self {
        let route = state.instruments.route(route);
        let method = KnownMethod::of(request.method());
        let (headers, extensions) = (request.headers(), request.extensions());
        let position = extensions.get::<ConnectionPosition>();
        let cursor = only(request.uri(), "cursor").ok().flatten();
        let mut entry = WireRequest {
            connection: position.map(|position| position.connection),
            position: position.map(|position| position.position),
            version: version(request.version()),
            method: method.as_str(),
            route: route.path().clone(),
            cursor: cursor.map(|cursor| cursor_hash(&state.key, &cursor)),
            idempotency_key: key_hash(&state.key, headers),
            has_several_keys: lines(headers, &IDEMPOTENCY_KEY).nth(1).is_some(),
            accept: RecordedHeader::of(headers, &ACCEPT),
            content_type: RecordedHeader::of(headers, &CONTENT_TYPE),
            authorization: lines(headers, &AUTHORIZATION).next().is_some(),
            trace_id: parent.map(|parent| parent.trace_id.clone()),
            request_id: request_id.clone(),
            ..WireRequest::default()
        };
        let shape = if state.record_exchanges {
            extensions.get::<RequestShape>().cloned()
        } else {
            None
        };
        let mut ledger = state.ledger.lock();
        // Read while the ledger is locked, as for each head, so that arrivals and heads are
        // noted in the order of their moments.
        let arrived = state.now();
        entry.arrived = arrived;
        let Arrival {
            seq,
            ties,
            is_early,
        } = ledger.arrived(entry, shape);
        drop(ledger);
        if is_early {
            route.count_early();
        }
        state.instruments.active(method).increment(1.0);
        let has_body = !request.body().is_end_stream();
        Self {
            span: Span::none(),
            method,
            arrived,
            seq,
            route,
            ties,
            body: has_body.then(|| BodyHash::new(&state.key)),
            fault: None,
            job: None,
            state,
        }
    }

    /// Notes the response, and will note its end.
    pub(crate) fn end(mut self, mut response: Response) -> Response {
        // A client whose request broke off is not known to receive a response: it counts
        // as none.
        if self.body.as_ref().is_some_and(BodyHash::broke_off) {
            return response;
        }
        self.handled(&response);
        if response.extensions().get::<ConnectionFault>().is_some() {
            return response;
        }
        self.responded(&response);
        if self.state.record_exchanges {
            response.extensions_mut().insert(Recorded(self.seq));
        }
        let is_head = self.method.as_str() == Method::HEAD;
        observe_end(response, is_head, self.state.clone(), self.seq)
    }

    /// Notes what came of the request, whether or not the client learns of it.
    fn handled(&mut self, response: &Response) {
        let instruments = &self.state.instruments;
        self.fault = response.extensions().get().copied();
        if let Some(fault) = self.fault {
            self.span.record("lab.fault", fault.0);
            instruments.count_fault(fault);
        }
        self.job = response.extensions().get().copied();
        if let Some(job) = self.job {
            instruments.count_job(job);
        }
    }

    fn responded(&self, response: &Response) {
        let status = response.status();
        let next_cursor = response.extensions().get();
        let cursor_issued = next_cursor.map(|NextCursor(cursor)| match cursor {
            Some(cursor) => IssuedCursor::Hash(cursor_hash(&self.state.key, cursor)),
            None => IssuedCursor::Null,
        });
        let on_purpose = response.extensions().get().copied();
        let mut ledger = self.state.ledger.lock();
        // Before the wall clock is read for a date: a later reading would blame a client
        // that kept to it exactly.
        let at = self.state.now();
        let head = ResponseHead {
            seq: self.seq,
            at,
            retry_after: on_purpose
                .map(RetryAfter::unusable)
                .or_else(|| RetryAfter::of(response.headers(), || self.state.wall())),
        };
        ledger.responded(
            self.route.path(),
            &self.ties,
            head,
            status.as_u16(),
            cursor_issued,
        );
        drop(ledger);
        // OpenTelemetry has one integer, the i64; of others its layers make a text.
        self.span
            .record("http.response.status_code", i64::from(status.as_u16()));
        if status.is_server_error() {
            self.span.record("otel.status_code", "ERROR");
            self.span.record("error.type", status.as_str());
        }
        let took = at.saturating_sub(self.arrived);
        let instruments = &self.state.instruments;
        instruments.observe(&self.route, self.method, status, took);
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        self.state.instruments.active(self.method).decrement(1.0);
        let body = self.body.as_ref();
        let (body_state, body) = body.map(BodyHash::state).unwrap_or_default();
        let outcome = Outcome {
            body_state,
            body,
            fault: self.fault,
            job: self.job,
        };
        self.state.ledger.lock().handled(self.seq, outcome);
    }
}

/// Has the end of this response entered under this number.
fn observe_end(response: Response, is_head: bool, state: HostState, seq: u64) -> Response {
    let end = ResponseEnd {
        is_bodiless: is_bodiless(is_head, response.status()),
        state,
        seq,
    };
    response.map(|body| watched(body, end))
}

/// Whether a response is sent without a body, so that nobody reads the one it has (RFC
/// 9110 §6.4.1).
pub(crate) fn is_bodiless(is_head: bool, status: StatusCode) -> bool {
    is_head || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&status)
}

/// The end of a response that is sent.
struct ResponseEnd {
    is_bodiless: bool,
    state: HostState,
    seq: u64,
}

impl Watch for ResponseEnd {
    fn dropped(&mut self, is_whole: bool) {
        if self.is_bodiless || is_whole {
            let now = self.state.now();
            if let Some(entry) = self.state.ledger.lock().entry(self.seq) {
                entry.ended = Some(now);
            }
        }
    }
}

fn open_span(
    request: &Request,
    name: &str,
    method: KnownMethod,
    route: Option<&str>,
    parent: Option<&TraceParent>,
    request_id: &RequestId,
) -> Span {
    // The values are made only for a span that somebody listens to, and all at once: each
    // later record costs as much as the opening.
    let host = LazyCell::new(|| host(request));
    // The order of the recorder's list, so that no field has to be looked for.
    tracing::info_span!(
        target: SPAN_TARGET,
        parent: None,
        REQUEST_SPAN,
        otel.name = name,
        otel.kind = "server",
        otel.status_code = field::Empty,
        http.request.method = method.as_str(),
        http.route = route,
        url.scheme = "http",
        server.address = host.map(|(name, _)| name),
        server.port = host.map(|(_, port)| i64::from(port)),
        http.response.status_code = field::Empty,
        error.type = field::Empty,
        lab.request_id = &**request_id,
        lab.fault = field::Empty,
        trace_id = parent.map(|parent| &*parent.trace_id),
        parent_span_id = parent.map(|parent| &*parent.parent_id),
    )
}

/// The host that a request names, if it is one of loopback: any other could hold a secret.
fn host(request: &Request) -> Option<(&'static str, u16)> {
    let target = request.uri().authority().map(Authority::as_str);
    loopback(target.or_else(|| single_str(request.headers(), &HOST))?)
}

/// The version of HTTP, as a status line has it.
fn version(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "HTTP/1.0",
        // The accept loop speaks no other version.
        _ => "HTTP/1.1",
    }
}

fn cursor_hash(key: &SeedKey, cursor: &str) -> ValueHash {
    key.hash(Purpose::Cursor, cursor.as_bytes())
}

fn key_hash(key: &SeedKey, headers: &HeaderMap) -> Option<ValueHash> {
    let line = single(headers, &IDEMPOTENCY_KEY)?;
    Some(key.hash(Purpose::IdempotencyKey, line.as_bytes()))
}
