//! The metrics as a table: names, types, units, labels, and what each answers.

use metrics::Unit;

/// What kind of time series a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Only rises.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Counts observations in buckets.
    Histogram,
}

/// One metric of the client.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name, as Prometheus shows it.
    pub name: &'static str,
    /// The kind of series.
    pub kind: MetricKind,
    /// The unit of its values.
    pub unit: Unit,
    /// The label names; every value comes from a closed set.
    pub labels: &'static [&'static str],
    /// The question it answers; its help text.
    pub question: &'static str,
}

/// Upper bounds, in seconds, of `http_client_request_duration_seconds`: eight of
/// those that the OpenTelemetry HTTP conventions advise.
pub const DURATION_BUCKETS: [f64; 8] = [0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 5.0, 10.0];

/// Upper bounds, in seconds, of `client_retry_wait_seconds`: from a backoff's
/// first draw to the longest Retry-After that the default budget allows.
pub const WAIT_BUCKETS: [f64; 10] = [0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// Upper bounds, in seconds, of `client_call_duration_seconds`: from a response
/// at once to a call that waited for a `Retry-After` more than once.
pub const CALL_DURATION_BUCKETS: [f64; 9] = [0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0];

/// Upper bounds of `client_call_attempts`, in requests.
pub const CALL_ATTEMPTS_BUCKETS: [f64; 5] = [1.0, 2.0, 3.0, 5.0, 10.0];

/// Calls of client methods.
pub const CALLS: Metric = Metric {
    name: "client_calls_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint", "outcome", "retried"],
    question: "How many calls of a client method ended, how did each end, and did it take more than one request?",
};

/// The duration of the calls.
pub const CALL_DURATION: Metric = Metric {
    name: "client_call_duration_seconds",
    kind: MetricKind::Histogram,
    unit: Unit::Seconds,
    labels: &["endpoint", "outcome"],
    question: "How long did each caller wait for its result, all attempts and waits included?",
};

/// The requests that a call takes.
pub const CALL_ATTEMPTS: Metric = Metric {
    name: "client_call_attempts",
    kind: MetricKind::Histogram,
    unit: Unit::Count,
    labels: &["endpoint"],
    question: "How many requests did each call take that was not cancelled?",
};

/// Requests on the wire.
pub const ATTEMPTS: Metric = Metric {
    name: "client_attempts_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint", "method", "result"],
    question: "How many requests did the client put on the wire, and how did each end (status or error type)?",
};

/// Waits for another attempt.
pub const RETRIES: Metric = Metric {
    name: "client_retries_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint", "method", "reason", "wait_source"],
    question: "How many waits for another attempt were begun, why, and who chose their length?",
};

/// Calls that a limit of the client ended.
pub const GIVE_UPS: Metric = Metric {
    name: "client_give_ups_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint", "method", "reason"],
    question: "How many calls failed because a limit of the client forbade another request?",
};

/// Listings that repeated a cursor.
pub const CURSOR_LOOPS: Metric = Metric {
    name: "client_cursor_loops_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint"],
    question: "How many listings were stopped because the service repeated a cursor?",
};

/// The length of the waits.
pub const RETRY_WAIT: Metric = Metric {
    name: "client_retry_wait_seconds",
    kind: MetricKind::Histogram,
    unit: Unit::Seconds,
    labels: &["endpoint", "wait_source"],
    question: "How long did the client wait before its retries?",
};

/// What is left of the retry budget.
pub const BUDGET_TOKENS: Metric = Metric {
    name: "client_retry_budget_tokens",
    kind: MetricKind::Gauge,
    unit: Unit::Count,
    labels: &["client"],
    question: "How many retries can all clones of the client still afford?",
};

/// The concurrency limit as it stands.
pub const CONCURRENCY_LIMIT: Metric = Metric {
    name: "client_concurrency_limit",
    kind: MetricKind::Gauge,
    unit: Unit::Count,
    labels: &["client"],
    question: "How many attempts may all clones of the client have in flight together?",
};

/// Responses that shrank the concurrency limit.
pub const CONCURRENCY_REDUCTIONS: Metric = Metric {
    name: "client_concurrency_reductions_total",
    kind: MetricKind::Counter,
    unit: Unit::Count,
    labels: &["endpoint"],
    question: "How many responses with status 429 shrank the concurrency limit?",
};

/// The duration of the requests on the wire.
///
/// OpenTelemetry also asks for `server.address` and `server.port` here. They are left out:
/// a client has one base URL, and a service on changing ports would leave series behind
/// that never rise again. The spans of the attempts have both.
pub const REQUEST_DURATION: Metric = Metric {
    name: "http_client_request_duration_seconds",
    kind: MetricKind::Histogram,
    unit: Unit::Seconds,
    labels: &[
        "http_request_method",
        "url_template",
        "http_response_status_code",
        "error_type",
    ],
    question: "How long did each request on the wire take, its body included?",
};

/// Every metric of the client.
pub const METRICS: [Metric; 12] = [
    CALLS,
    CALL_DURATION,
    CALL_ATTEMPTS,
    ATTEMPTS,
    RETRIES,
    GIVE_UPS,
    CURSOR_LOOPS,
    RETRY_WAIT,
    BUDGET_TOKENS,
    CONCURRENCY_LIMIT,
    CONCURRENCY_REDUCTIONS,
    REQUEST_DURATION,
];
