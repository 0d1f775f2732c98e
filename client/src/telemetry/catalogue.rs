//! The metrics as a table: names, types, units, labels, and what each answers.

use metrics::Unit;

/// The kind of time series of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Only rises.
    Counter,
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

/// Defines a constant for each metric, and the table of all of them.
macro_rules! metrics {
    ($(
        $(#[$doc:meta])*
        $constant:ident: $kind:ident of $unit:ident, $name:literal, $labels:expr, $question:literal;
    )*) => {
        $(
            $(#[$doc])*
            pub const $constant: Metric = Metric {
                name: $name,
                kind: MetricKind::$kind,
                unit: Unit::$unit,
                labels: &$labels,
                question: $question,
            };
        )*

        /// Every metric of the client.
        pub const METRICS: [Metric; 10] = [$($constant),*];
    };
}

metrics! {
    /// Calls of client methods.
    CALLS: Counter of Count, "client_calls_total", ["endpoint", "outcome", "retried"],
        "How many calls of a client method ended, how did each end, and did it take more than one request?";
    /// The duration of the calls.
    CALL_DURATION: Histogram of Seconds, "client_call_duration_seconds", ["endpoint", "outcome"],
        "How long did each caller wait for its result, all attempts and waits included?";
    /// The requests that a call takes.
    CALL_ATTEMPTS: Histogram of Count, "client_call_attempts", ["endpoint"],
        "How many requests did each call take that sent at least one and was not cancelled?";
    /// Requests on the wire.
    ATTEMPTS: Counter of Count, "client_attempts_total", ["endpoint", "method", "result"],
        "How many requests did the client put on the wire, and how did each end (status or error type)?";
    /// Waits for another attempt.
    RETRIES: Counter of Count, "client_retries_total", ["endpoint", "method", "reason", "wait_source"],
        "How often did the client decide to retry, why, and who chose the wait: the service or the client?";
    /// Calls that a rule or a limit of the client ended.
    GIVE_UPS: Counter of Count, "client_give_ups_total", ["endpoint", "method", "reason"],
        "How many calls failed because a rule or a limit of the client forbade another request? A final response, such as a 404, is not counted.";
    /// Listings that repeated a cursor.
    CURSOR_LOOPS: Counter of Count, "client_cursor_loops_total", ["endpoint"],
        "How many listings were stopped because the service repeated a cursor?";
    /// The length of the waits.
    RETRY_WAIT: Histogram of Seconds, "client_retry_wait_seconds", ["endpoint", "wait_source"],
        "How long did the client really wait for another attempt?";
    /// Responses that shrank the concurrency limit.
    CONCURRENCY_REDUCTIONS: Counter of Count, "client_concurrency_reductions_total", ["endpoint"],
        "How many responses with status 429 shrank the concurrency limit?";
    /// The duration of the requests on the wire.
    ///
    /// OpenTelemetry also asks for `server.address` and `server.port` here. They are left out:
    /// a client has one base URL, and a service on changing ports would leave series behind
    /// that never rise again. The spans of the attempts have both.
    REQUEST_DURATION: Histogram of Seconds, "http_client_request_duration_seconds", ["http_request_method", "url_template", "http_response_status_code", "error_type"],
        "How long did each request on the wire take, its body included?";
}
