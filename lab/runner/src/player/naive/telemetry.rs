//! Every span, metric and label name of the naive client: a target and series
//! of its own, so that nobody's numbers hold those of the other.

use client::{
    Endpoint, FailureKind,
    telemetry::{Injector, Metric, MetricKind, SharedRecorder},
};
use http::{HeaderMap, Method, StatusCode};
use metrics::{Unit, counter, describe_counter, with_local_recorder};
use reqwest::Request;
use tracing::{Span, field::Empty};

/// The target of every span. Its first part is this crate, so that whoever
/// listens to the lab hears it.
const TARGET: &str = "lab::naive";

/// Requests that the client made.
const ATTEMPTS: Metric = Metric {
    name: "naive_attempts_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint", "method", "result"],
    question: "How many requests did the naive client make, redirects not counted, and how did each end (status or error type)?",
};

/// Requests that it made again.
const RETRIES: Metric = Metric {
    name: "naive_retries_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint", "method"],
    question: "How many requests did the naive client make again, at once?",
};

/// Every metric of the naive client: series of its own, so that its numbers
/// never mix with those of the reference client.
pub const METRICS: [Metric; 2] = [ATTEMPTS, RETRIES];

/// Where the naive client reports to.
pub(crate) struct Telemetry {
    recorder: SharedRecorder,
    injector: Injector,
}

impl Telemetry {
    pub(crate) fn new(recorder: SharedRecorder, injector: Injector) -> Self {
        with_local_recorder(&*recorder, || {
            for metric in METRICS {
                describe_counter!(metric.name, metric.unit, metric.question);
            }
        });
        Self { recorder, injector }
    }

    pub(super) fn inject(&self, span: &Span, headers: &mut HeaderMap) {
        (self.injector)(span, headers);
    }

    pub(super) fn attempt(&self, endpoint: Endpoint, method: &Method, result: &Sent) {
        let labels = [
            ("endpoint", endpoint.name()),
            ("method", method_label(method)),
            ("result", result_label(result)),
        ];
        self.count(ATTEMPTS, &labels);
    }

    pub(super) fn retry(&self, endpoint: Endpoint, method: &Method) {
        let labels = [
            ("endpoint", endpoint.name()),
            ("method", method_label(method)),
        ];
        self.count(RETRIES, &labels);
    }

    fn count(&self, metric: Metric, labels: &[(&'static str, &'static str)]) {
        with_local_recorder(&*self.recorder, || {
            counter!(metric.name, labels).increment(1);
        });
    }
}

/// What came of a request: status and body, or why neither.
type Sent = Result<(StatusCode, String), FailureKind>;

pub(super) fn operation_span(endpoint: Endpoint) -> Span {
    tracing::info_span!(
        target: TARGET,
        "operation",
        otel.name = endpoint.name(),
        otel.kind = "internal",
        otel.status_code = Empty,
        endpoint = endpoint.name(),
        attempts = Empty,
        outcome = Empty,
        "error.type" = Empty,
    )
}

pub(super) fn record_operation(span: &Span, attempts: u32, error: Option<&'static str>) {
    span.record("attempts", attempts);
    span.record("outcome", if error.is_some() { "error" } else { "ok" });
    if let Some(error) = error {
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
}

pub(super) fn attempt_span(endpoint: Endpoint, request: &Request, attempt: u32) -> Span {
    let method = method_label(request.method());
    let span = tracing::info_span!(
        target: TARGET,
        "attempt",
        otel.name = %format_args!("{method} {}", endpoint.template()),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = method,
        url.template = endpoint.template(),
        server.address = request.url().host_str(),
        server.port = request.url().port_or_known_default(),
        http.request.resend_count = Empty,
        http.response.status_code = Empty,
        "error.type" = Empty,
    );
    if attempt > 1 {
        span.record("http.request.resend_count", attempt - 1);
    }
    span
}

pub(super) fn record_attempt(span: &Span, result: &Sent) {
    if let Ok((status, _)) = result {
        span.record("http.response.status_code", status.as_u16());
        if status.is_success() {
            return;
        }
    }
    span.record("error.type", result_label(result));
    span.record("otel.status_code", "ERROR");
}

/// The status, if the course answers with it: the values of the label are a
/// closed set.
pub(super) fn status_label(status: StatusCode) -> &'static str {
    STATUSES
        .iter()
        .find(|label| **label == status.as_str())
        .unwrap_or(&"other")
}

/// What the services of the course answer with.
const STATUSES: [&str; 17] = [
    "200", "201", "204", "302", "400", "404", "405", "409", "413", "415", "422", "429", "500",
    "502", "503", "504", "507",
];

fn result_label(result: &Sent) -> &'static str {
    match result {
        Ok((status, _)) => status_label(*status),
        Err(kind) => kind.as_str(),
    }
}

/// Tasks need two methods.
fn method_label(method: &Method) -> &'static str {
    if *method == Method::POST {
        "POST"
    } else {
        "GET"
    }
}
