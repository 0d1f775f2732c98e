//! Every metric, label and span name of the service.
//!
//! Dashboards, alerts and tests read the names from here. OpenTelemetry's HTTP
//! conventions name what they have a name for; the rest is the service's own.
//! `url.full`, `url.path` and `url.query`, which those conventions ask for, are
//! left out on purpose: they would carry cursors into traces. Of the metrics of HTTP,
//! `url.scheme` is left out, since it is always `http`, and `error.type`, which would repeat
//! the status of a 5xx.

use http::StatusCode;

/// The kind of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Counts of observations by size.
    Histogram,
}

/// One metric of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricSpec {
    /// Its name, as `/metrics` shows it.
    pub name: &'static str,
    /// Its kind.
    pub kind: MetricKind,
    /// Its unit.
    pub unit: &'static str,
    /// Its labels. Each takes its values from a closed set.
    pub labels: &'static [&'static str],
    /// The question that it answers; also its `# HELP` line.
    pub question: &'static str,
}

/// The HTTP method of a request, or [`OTHER_METHOD`].
pub const LABEL_METHOD: &str = "http_request_method";
/// The path of the route that responded; [`OTHER`] if none did, as with a 404 or a 405;
/// [`REFUSED`] for a request that was not admitted to the router.
pub const LABEL_ROUTE: &str = "http_route";
/// The status code of a response, or [`OTHER`].
pub const LABEL_STATUS: &str = "http_response_status_code";
/// The fault that was served on purpose.
pub const LABEL_FAULT: &str = "fault";
/// The result of a `POST /jobs`: one of [`JOB_RESULTS`].
pub const LABEL_RESULT: &str = "result";
/// The path of the matched route, or [`OTHER`], of a request that came too early.
pub const LABEL_EARLY_ROUTE: &str = "route";

/// The label value for whatever was not foreseen.
pub const OTHER: &str = "other";
/// The route label of a request that the rules against other web sites refused. Its
/// method is not read: the label is [`OTHER_METHOD`].
pub const REFUSED: &str = "refused";
/// The method label for a method that HTTP does not define, as OpenTelemetry has it.
pub const OTHER_METHOD: &str = "_OTHER";

/// The values of [`LABEL_RESULT`].
pub const JOB_RESULTS: [&str; 4] = ["created", "replayed", "conflict", "rejected"];

/// How long requests took.
pub const REQUEST_DURATION: MetricSpec = MetricSpec {
    name: "http_server_request_duration_seconds",
    kind: MetricKind::Histogram,
    unit: "seconds",
    labels: &[LABEL_METHOD, LABEL_ROUTE, LABEL_STATUS],
    question: "How many requests got a response, which, and within how many seconds? Neither those that broke off nor scrapes of /metrics are counted.",
};

/// How many requests wait for a response.
pub const ACTIVE_REQUESTS: MetricSpec = MetricSpec {
    name: "http_server_active_requests",
    kind: MetricKind::Gauge,
    unit: "requests",
    labels: &[LABEL_METHOD],
    question: "How many requests have arrived and got no response yet? Scrapes of /metrics are not counted.",
};

/// How many faults were served.
pub const FAULTS: MetricSpec = MetricSpec {
    name: "service_faults_total",
    kind: MetricKind::Counter,
    unit: "responses",
    labels: &[LABEL_FAULT],
    question: "How many responses were faults on purpose, and which?",
};

/// The results of job submissions.
pub const JOBS: MetricSpec = MetricSpec {
    name: "service_jobs_total",
    kind: MetricKind::Counter,
    unit: "submissions",
    labels: &[LABEL_RESULT],
    question: "How many job submissions created a job, were replays, conflicted or were rejected? One that broke off is not counted.",
};

/// How many requests came too early.
pub const EARLY_RETRIES: MetricSpec = MetricSpec {
    name: "service_early_retries_total",
    kind: MetricKind::Counter,
    unit: "requests",
    labels: &[LABEL_EARLY_ROUTE],
    question: "How many requests came before the Retry-After of an earlier response allowed? A good client keeps it at 0.",
};

/// Every metric of the service.
pub const METRICS: [MetricSpec; 5] = [
    REQUEST_DURATION,
    ACTIVE_REQUESTS,
    FAULTS,
    JOBS,
    EARLY_RETRIES,
];

/// The build of the program: always 1, with the labels `version` and `profile`
/// (`debug`, in which nothing is as fast as it could be, or `release`). `/metrics` shows
/// it beside [`METRICS`], and so it does the usual `process_*`.
pub const BUILD_INFO: &str = "service_build_info";

/// The bucket bounds of [`REQUEST_DURATION`] in seconds. OpenTelemetry advises bounds from
/// 5 ms on for `http.server.request.duration`; a service on the same machine responds within
/// microseconds, so half of these lie below. None is a length for which a route works on
/// purpose, such as 0.1 s: its responses would fall on both sides. Each bound costs a sample
/// for every series.
pub const DURATION_BUCKETS: [f64; 12] = [
    0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.001, 0.005, 0.025, 0.075, 0.15, 0.5, 2.5,
];

/// The target of the service's spans.
pub const SPAN_TARGET: &str = "server";

/// The name of the one span the service opens: one a request, of kind SERVER.
pub const REQUEST_SPAN: &str = "request";

/// The fields of [`REQUEST_SPAN`], and nothing else is recorded.
///
/// `http.request.method`, `http.route` (absent where no route matched), `url.scheme`,
/// `server.address` and `server.port` as the `Host` names them, `http.response.status_code`,
/// `lab.request_id`; on a 5xx `error.type`, which is the status; `lab.fault` where one was
/// served on purpose; `trace_id` and `parent_span_id` where a valid `traceparent` came; and for
/// OpenTelemetry layers `otel.name`, `otel.kind` and, on a 5xx, `otel.status_code`.
pub const REQUEST_SPAN_FIELDS: [&str; 14] = [
    "otel.name",
    "otel.kind",
    "otel.status_code",
    "http.request.method",
    "http.route",
    "url.scheme",
    "server.address",
    "server.port",
    "http.response.status_code",
    "error.type",
    "lab.request_id",
    "lab.fault",
    "trace_id",
    "parent_span_id",
];

/// The methods that HTTP defines, and [`OTHER_METHOD`] for all others.
pub const METHODS: [&str; 10] = [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "PATCH",
    OTHER_METHOD,
];

/// A position in [`METHODS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KnownMethod(usize);

impl KnownMethod {
    /// The last position.
    pub(crate) const OTHER: Self = Self(METHODS.len() - 1);

    /// Every position.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..METHODS.len()).map(Self)
    }

    /// The position of a method, which is the last for one that HTTP does not define.
    pub(crate) fn of(method: &http::Method) -> Self {
        let position = METHODS.iter().position(|known| method == known);
        position.map_or(Self::OTHER, Self)
    }

    pub(crate) fn as_str(self) -> &'static str {
        self.in_table::<&str>(&METHODS)
    }

    /// The entry at this position of a table that is made of [`METHODS`].
    #[expect(clippy::indexing_slicing, reason = "it is a position of such a table")]
    pub(crate) fn in_table<T>(self, table: &[T; METHODS.len()]) -> &T {
        &table[self.0]
    }
}

/// The statuses that are foreseen. A label borrows its digits from here.
static STATUSES: [StatusCode; 34] = [
    StatusCode::OK,
    StatusCode::CREATED,
    StatusCode::ACCEPTED,
    StatusCode::NO_CONTENT,
    StatusCode::PARTIAL_CONTENT,
    StatusCode::MOVED_PERMANENTLY,
    StatusCode::FOUND,
    StatusCode::SEE_OTHER,
    StatusCode::NOT_MODIFIED,
    StatusCode::TEMPORARY_REDIRECT,
    StatusCode::PERMANENT_REDIRECT,
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::CONFLICT,
    StatusCode::GONE,
    StatusCode::PRECONDITION_FAILED,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::MISDIRECTED_REQUEST,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::TOO_EARLY,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::NOT_IMPLEMENTED,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
    StatusCode::INSUFFICIENT_STORAGE,
];

/// The label of a status.
pub(crate) fn status_label(status: StatusCode) -> &'static str {
    let known = STATUSES.iter().find(|known| **known == status);
    known.map_or(OTHER, StatusCode::as_str)
}

#[cfg(test)]
mod tests {
    use http::{Method, StatusCode};

    use super::{KnownMethod, status_label};

    #[test]
    fn label_values_come_from_closed_sets() {
        let invented = Method::from_bytes(b"BREW").unwrap();

        assert_eq!(KnownMethod::of(&Method::GET).as_str(), "GET");
        assert_eq!(KnownMethod::of(&invented).as_str(), "_OTHER");
        assert_eq!(status_label(StatusCode::OK), "200");
        assert_eq!(status_label(StatusCode::IM_A_TEAPOT), "other");
    }
}
