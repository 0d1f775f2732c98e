//! The closed list of everything that may be recorded: span names, and the fields of each.
//!
//! Redaction is built in, not a filter: a field that is not on this list is never stored,
//! even if a crate passes it to `tracing`. The names follow the OpenTelemetry HTTP
//! conventions, where they have one. Two of their names are missing on purpose: `url.full`
//! and `url.path` may contain a cursor or a credential, and `url.template` or `http.route`
//! already says where a request went.

use serde::Serialize;

/// The names of the fields.
pub mod field {
    /// The name of the span for people, for example `GET /items`.
    pub const OTEL_NAME: &str = "otel.name";
    /// `internal`, `client` or `server`.
    pub const OTEL_KIND: &str = "otel.kind";
    /// `OK` or `ERROR`; absent until that is decided.
    pub const OTEL_STATUS_CODE: &str = "otel.status_code";
    /// The called client method.
    pub const ENDPOINT: &str = "reliable_api_client.endpoint";
    /// The number of attempts of the operation.
    pub const ATTEMPTS: &str = "reliable_api_client.attempts";
    /// How the operation ended.
    pub const OUTCOME: &str = "reliable_api_client.outcome";
    /// The class of failure, or the status if that is the failure.
    pub const ERROR_TYPE: &str = "error.type";
    /// The method of the request.
    pub const METHOD: &str = "http.request.method";
    /// The path of the endpoint before parameters are filled in.
    pub const URL_TEMPLATE: &str = "url.template";
    /// The host of the request.
    pub const SERVER_ADDRESS: &str = "server.address";
    /// The port of the request.
    pub const SERVER_PORT: &str = "server.port";
    /// The scheme of the request.
    pub const URL_SCHEME: &str = "url.scheme";
    /// The number of the retry; absent on the first attempt.
    pub const RESEND_COUNT: &str = "http.request.resend_count";
    /// The status of the response.
    pub const STATUS: &str = "http.response.status_code";
    /// The reason for the retry.
    pub const RETRY_REASON: &str = "reliable_api_client.retry.reason";
    /// The source of the length of the wait: `retry_after` or `backoff`.
    pub const WAIT_SOURCE: &str = "reliable_api_client.wait.source";
    /// The decided length of the wait, in seconds.
    pub const WAIT_SECONDS: &str = "reliable_api_client.wait.seconds";
    /// The upper bound of the random length of a backoff, in seconds.
    pub const WAIT_CEILING: &str = "reliable_api_client.wait.ceiling_seconds";
    /// The reason to give up.
    pub const STOP_REASON: &str = "reliable_api_client.stop.reason";
    /// The wait that was considered before giving up, in seconds.
    pub const STOP_WAIT: &str = "reliable_api_client.stop.wait_seconds";
    /// Why the request may be repeated: `method` or `permission`.
    pub const ALLOWED_BY: &str = "reliable_api_client.retry.allowed_by";
    /// The number of the failed attempt.
    pub const ATTEMPT: &str = "reliable_api_client.retry.attempt";
    /// The most attempts that the caller allows.
    pub const MAX_ATTEMPTS: &str = "reliable_api_client.retry.max_attempts";
    /// The result of reading the Retry-After: `none`, `valid`, `past_date` or `unusable`.
    pub const RETRY_AFTER: &str = "reliable_api_client.retry_after.form";
    /// The wait that a valid Retry-After asked for, in seconds.
    pub const RETRY_AFTER_SECONDS: &str = "reliable_api_client.retry_after.seconds";
    /// The longest Retry-After that the caller allows, in seconds.
    pub const RETRY_AFTER_MAX: &str = "reliable_api_client.retry_after.max_seconds";
    /// The time left until the deadline of the call, in seconds.
    pub const REMAINING: &str = "reliable_api_client.deadline.remaining_seconds";
    /// The tokens in the retry budget before the decision.
    pub const TOKENS: &str = "reliable_api_client.retry_budget.tokens";
    /// The concurrency limit that made a call queue.
    pub const LIMIT: &str = "reliable_api_client.concurrency.max";
    /// The concurrency limit before a response changed it.
    pub const LIMIT_BEFORE: &str = "reliable_api_client.concurrency.limit_before";
    /// The concurrency limit after a response changed it.
    pub const LIMIT_AFTER: &str = "reliable_api_client.concurrency.limit_after";
    /// The problem of a response or a listing.
    pub const PROBLEM: &str = "reliable_api_client.problem";
    /// The route that matched.
    pub const ROUTE: &str = "http.route";
    /// The id that the service gave the request.
    pub const REQUEST_ID: &str = "lab.request_id";
    /// The fault that the service injected.
    pub const FAULT: &str = "lab.fault";
    /// The scenario of the run.
    pub const SCENARIO: &str = "lab.scenario";
    /// What a client that was killed had done, and what it had not.
    pub const CRASH: &str = "lab.crash";

    /// The caller's trace. It sets the span's position in a tree and is not stored as a field.
    pub const TRACE_ID: &str = "trace_id";
    /// The caller's span. It sets the span's position in a tree and is not stored as a field.
    pub const PARENT_SPAN_ID: &str = "parent_span_id";
}

/// The kinds of spans, a closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanName {
    /// One run of the lab (target `lab`). It joins all operations of a run into one trace;
    /// without it each operation is a trace of its own.
    Run,
    /// One call of a client method (target `client`, or `lab::naive` for the naive client).
    Operation,
    /// One request on the wire, as the client sees it (target `client` or
    /// `lab::naive`).
    Attempt,
    /// One wait before a retry (target `client`).
    Wait,
    /// The decision to give up after a failed request (target `client`, or `lab::naive`).
    Stop,
    /// One wait for a free slot under the concurrency limit (target `client`).
    Queue,
    /// One request on the wire, as the service sees it (target `server`).
    Request,
    /// The moment at which the lab killed a client (target `lab`).
    Crash,
}

/// OpenTelemetry's kind of a span: the side of a call that it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Neither side: work inside one program.
    Internal,
    /// The side that sends the request.
    Client,
    /// The side that sends the response.
    Server,
}

/// The names of fields, after those that every span may have.
macro_rules! fields {
    ($($field:ident)*) => {
        &[OTEL_NAME, OTEL_KIND, OTEL_STATUS_CODE, $($field),*]
    };
}

impl SpanName {
    /// Every name.
    pub const ALL: [Self; 8] = [
        Self::Run,
        Self::Operation,
        Self::Attempt,
        Self::Wait,
        Self::Stop,
        Self::Queue,
        Self::Request,
        Self::Crash,
    ];

    /// The name as written in the code that opens the span.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Operation => "operation",
            Self::Attempt => "attempt",
            Self::Wait => "wait",
            Self::Stop => "stop",
            Self::Queue => "queue",
            Self::Request => "request",
            Self::Crash => "crash",
        }
    }

    /// The side of a call that the span is on.
    #[must_use]
    pub fn kind(self) -> SpanKind {
        match self {
            Self::Run | Self::Operation | Self::Wait | Self::Stop | Self::Queue | Self::Crash => {
                SpanKind::Internal
            }
            Self::Attempt => SpanKind::Client,
            Self::Request => SpanKind::Server,
        }
    }

    /// The fields that a span with this name may have.
    #[must_use]
    #[inline]
    pub fn fields(self) -> &'static [&'static str] {
        use field::*;
        match self {
            Self::Run => fields! { SCENARIO },
            Self::Operation => fields! { ENDPOINT ATTEMPTS OUTCOME ERROR_TYPE PROBLEM },
            Self::Attempt => fields! {
                METHOD URL_TEMPLATE SERVER_ADDRESS SERVER_PORT RESEND_COUNT STATUS ERROR_TYPE
                LIMIT_BEFORE LIMIT_AFTER
            },
            Self::Wait => fields! {
                RETRY_REASON WAIT_SOURCE WAIT_SECONDS WAIT_CEILING METHOD ALLOWED_BY ATTEMPT
                MAX_ATTEMPTS RETRY_AFTER RETRY_AFTER_SECONDS RETRY_AFTER_MAX REMAINING TOKENS
            },
            Self::Stop => fields! {
                STOP_REASON RETRY_REASON STOP_WAIT METHOD ALLOWED_BY ATTEMPT MAX_ATTEMPTS
                RETRY_AFTER RETRY_AFTER_SECONDS RETRY_AFTER_MAX REMAINING TOKENS
            },
            Self::Queue => fields! { LIMIT },
            Self::Crash => fields! { CRASH },
            Self::Request => fields! {
                METHOD ROUTE URL_SCHEME SERVER_ADDRESS SERVER_PORT STATUS ERROR_TYPE REQUEST_ID
                FAULT
            },
        }
    }
}
