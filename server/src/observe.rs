//! The layer that sees every request: its span, its numbers, its ledger entry.
//!
//! Scrapes of `/metrics` pass unseen, so that looking does not change the picture.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderMap;
use metrics::Gauge;
use tracing::{Instrument, Span, field};

use crate::body_witness::{BodyWitness, WitnessedBody};
use crate::early::Bonds;
use crate::idempotency::IDEMPOTENCY_KEY;
use crate::ledger::{Answer, Arrival, Ending};
use crate::lesson::Fault;
use crate::page::only;
use crate::request_id;
use crate::retry_after;
use crate::router::METRICS_PATH;
use crate::seed_key::{Fingerprint, SeedKey};
use crate::state::ServiceState;
use crate::telemetry::{METHODS, OTHER, OTHER_METHOD, REQUEST_SPAN, SPAN_TARGET, method_index};
use crate::traceparent::TraceParent;

pub(crate) async fn observe(
    State(state): State<ServiceState>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map(MatchedPath::as_str);
    if route == Some(METRICS_PATH) {
        return next.run(request).await;
    }

    let parent = TraceParent::from_headers(request.headers());
    let mut exchange = Exchange::begin(&state, &request, route, parent.as_ref());
    let span = open_span(&request, route, parent.as_ref());
    if let Some(hook) = state.on_request_span() {
        hook(&span, request.headers());
    }

    let witness = exchange.body.clone();
    let request = request.map(|body| Body::new(WitnessedBody::new(body, witness)));
    let response = next.run(request).instrument(span.clone()).await;
    // A response to half a request is for whoever still reads, and nobody is known
    // to: it counts as none.
    if !exchange.body.broke_off() {
        exchange.answered(&response, &span);
    }
    response
}

fn open_span(request: &Request, route: Option<&str>, parent: Option<&TraceParent>) -> Span {
    let method = METHODS[method_index(request.method())];
    // OpenTelemetry names a span by method and route, and never by the raw path.
    let name_method = if method == OTHER_METHOD {
        "HTTP"
    } else {
        method
    };
    let span = tracing::info_span!(
        target: SPAN_TARGET,
        parent: None,
        REQUEST_SPAN,
        otel.name = field::Empty,
        otel.kind = "server",
        otel.status_code = field::Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = field::Empty,
        request_id = field::Empty,
        fault = field::Empty,
        trace_id = parent.map(|parent| &*parent.trace_id),
        parent_span_id = parent.map(|parent| &*parent.parent_id),
    );
    if !span.is_disabled() {
        match route {
            Some(route) => span.record("otel.name", format!("{name_method} {route}")),
            None => span.record("otel.name", name_method),
        };
        span.record("request_id", request_id::of(request.extensions()));
    }
    span
}

/// One request from arrival to its end. Dropped without an answer, because its
/// connection died or its body broke off, it still closes its entry and its gauge.
struct Exchange {
    state: ServiceState,
    method: usize,
    active: Gauge,
    arrived: Duration,
    seq: u64,
    bonds: Bonds,
    body: BodyWitness,
    answer: Option<Answer>,
}

impl Exchange {
    fn begin(
        state: &ServiceState,
        request: &Request,
        route: Option<&str>,
        parent: Option<&TraceParent>,
    ) -> Self {
        let method = method_index(request.method());
        let arrived = state.now();
        let bonds = Bonds {
            route: route.unwrap_or(OTHER).to_owned(),
            trace_id: parent.map(|parent| parent.trace_id.clone()),
            idempotency_key: key_fingerprint(state.key(), request.headers()),
        };
        let cursor = only(request.uri(), "cursor").ok().flatten();
        let (seq, early) = state.ledger().arrived(Arrival {
            at: arrived,
            method: METHODS[method],
            cursor: cursor.map(|cursor| state.key().fingerprint("cursor", cursor.as_bytes())),
            bonds: bonds.clone(),
            request_id: request_id::of(request.extensions()),
        });
        if early.is_some() {
            state.instruments().count_early(&bonds.route);
        }
        let active = state.instruments().active(method);
        active.increment(1.0);
        let body = BodyWitness::new(state.key());
        Self {
            state: state.clone(),
            method,
            active,
            arrived,
            seq,
            bonds,
            body,
            answer: None,
        }
    }

    fn answered(&mut self, response: &Response, span: &Span) {
        let status = response.status();
        // OpenTelemetry has one integer, the i64; of others its layers make a text.
        span.record("http.response.status_code", i64::from(status.as_u16()));
        if status.is_server_error() {
            span.record("otel.status_code", "ERROR");
        }
        if let Some(Fault(fault)) = response.extensions().get() {
            span.record("fault", fault);
            self.state.instruments().count_fault(fault);
        }
        let at = self.state.now();
        let took = at.saturating_sub(self.arrived);
        self.state
            .instruments()
            .observe(self.method, &self.bonds.route, status, took);
        let retry_after = retry_after::wait(response.headers(), self.state.wall());
        self.answer = Some(Answer {
            at,
            status: status.as_u16(),
            retry_after,
        });
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.active.decrement(1.0);
        let ending = Ending {
            body: self.body.fingerprint(),
            answer: self.answer.take(),
        };
        self.state.ledger().ended(self.seq, &self.bonds, ending);
    }
}

fn key_fingerprint(key: &SeedKey, headers: &HeaderMap) -> Option<Fingerprint> {
    let mut lines = headers.get_all(IDEMPOTENCY_KEY).iter();
    match (lines.next(), lines.next()) {
        (Some(line), None) => Some(key.fingerprint("idempotency key", line.as_bytes())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
