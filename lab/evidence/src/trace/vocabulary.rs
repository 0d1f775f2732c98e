//! The closed list of what may be recorded: span names, and the fields of each.
//!
//! Redaction is a property here, not a filter: what is not on this list is
//! never stored, whatever a crate hands to `tracing`. The list follows the
//! OpenTelemetry HTTP conventions where they have a name. Two of their names
//! are left out on purpose: `url.full` and `url.path` may carry a cursor or a
//! credential, and the `url.template` or `http.route` says where a request
//! went.

use schemars::JsonSchema;
use serde::Serialize;

/// The names of the fields, each in one place.
pub mod field {
    /// What a person calls the span, for example `GET /items`.
    pub const OTEL_NAME: &str = "otel.name";
    /// `internal`, `client` or `server`.
    pub const OTEL_KIND: &str = "otel.kind";
    /// `OK` or `ERROR`; absent while nothing is decided.
    pub const OTEL_STATUS_CODE: &str = "otel.status_code";
    /// The client method that was called.
    pub const ENDPOINT: &str = "endpoint";
    /// How many attempts the operation took.
    pub const ATTEMPTS: &str = "attempts";
    /// How the operation ended.
    pub const OUTCOME: &str = "outcome";
    /// The class of failure, or the status where that is the failure.
    pub const ERROR_TYPE: &str = "error.type";
    /// The method of the request.
    pub const METHOD: &str = "http.request.method";
    /// The path of the endpoint before anything is filled in.
    pub const URL_TEMPLATE: &str = "url.template";
    /// The host the request goes to.
    pub const SERVER_ADDRESS: &str = "server.address";
    /// The port the request goes to.
    pub const SERVER_PORT: &str = "server.port";
    /// Which resend this is; absent on the first attempt.
    pub const RESEND_COUNT: &str = "http.request.resend_count";
    /// The status of the response.
    pub const STATUS: &str = "http.response.status_code";
    /// Why there is a retry to wait for.
    pub const RETRY_REASON: &str = "retry.reason";
    /// Who chose the length of the wait: `retry_after` or `backoff`.
    pub const WAIT_SOURCE: &str = "wait.source";
    /// The length of the wait as decided, in seconds.
    pub const WAIT_SECONDS: &str = "wait.seconds";
    /// What the length of a backoff was drawn below, in seconds.
    pub const WAIT_CEILING: &str = "wait.ceiling_seconds";
    /// What forbade another attempt.
    pub const STOP_REASON: &str = "stop.reason";
    /// The wait that was weighed before another attempt was forbidden, in seconds.
    pub const STOP_WAIT: &str = "stop.wait_seconds";
    /// What allows the request to be repeated: `method` or `permission`.
    pub const ALLOWED_BY: &str = "retry.allowed_by";
    /// The number of the attempt that was judged.
    pub const ATTEMPT: &str = "retry.attempt";
    /// The most attempts that the caller allows.
    pub const MAX_ATTEMPTS: &str = "retry.max_attempts";
    /// What became of a Retry-After: `none`, `valid`, `past_date` or `unusable`.
    pub const RETRY_AFTER: &str = "retry_after.form";
    /// What a valid Retry-After asked for, in seconds.
    pub const RETRY_AFTER_SECONDS: &str = "retry_after.seconds";
    /// The longest Retry-After that the caller allows, in seconds.
    pub const RETRY_AFTER_MAX: &str = "retry_after.max_seconds";
    /// The time left until the deadline of the call, in seconds.
    pub const REMAINING: &str = "deadline.remaining_seconds";
    /// The tokens in the retry budget before the decision.
    pub const TOKENS: &str = "retry_budget.tokens";
    /// The concurrency limit that a call had to queue for.
    pub const LIMIT: &str = "concurrency.max";
    /// The concurrency limit before a response moved it.
    pub const LIMIT_BEFORE: &str = "concurrency.limit_before";
    /// The concurrency limit after a response moved it.
    pub const LIMIT_AFTER: &str = "concurrency.limit_after";
    /// What was wrong with a response or a listing.
    pub const PROBLEM: &str = "problem";
    /// The route that matched.
    pub const ROUTE: &str = "http.route";
    /// The id the service gave the request.
    pub const REQUEST_ID: &str = "request_id";
    /// The fault the service injected.
    pub const FAULT: &str = "fault";
    /// The scenario that is run.
    pub const SCENARIO: &str = "scenario";

    /// The caller's trace. It places the span in a tree and is not kept as a
    /// field.
    pub const TRACE_ID: &str = "trace_id";
    /// The caller's span. It places the span in a tree and is not kept as a
    /// field.
    pub const PARENT_SPAN_ID: &str = "parent_span_id";
}

/// What a span is about. These are all there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpanName {
    /// One run of the lab (target `lab`). It gathers all operations of a run
    /// into one trace; without it each operation is a trace of its own.
    Run,
    /// One call of a client method (target `client`, or `lab::naive` for
    /// what is run beside it).
    Operation,
    /// One request on the wire, as the client sees it (target `client` or
    /// `lab::naive`).
    Attempt,
    /// One pause before a retry (target `client`).
    Wait,
    /// The decision not to try a failed request again (target `client`, or
    /// `lab::naive`).
    Stop,
    /// One wait for a turn under the concurrency limit (target `client`).
    Queue,
    /// One request on the wire, as the service sees it (target `server`).
    Request,
}

/// OpenTelemetry's kind of a span: which side of a call it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Neither side: work inside one program.
    Internal,
    /// The side that asks.
    Client,
    /// The side that responds.
    Server,
}

impl SpanName {
    /// Every name.
    pub const ALL: [Self; 7] = [
        Self::Run,
        Self::Operation,
        Self::Attempt,
        Self::Wait,
        Self::Stop,
        Self::Queue,
        Self::Request,
    ];

    /// The name as it stands in the code that opens the span.
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
        }
    }

    /// Which side of a call the span stands on.
    #[must_use]
    pub fn kind(self) -> SpanKind {
        match self {
            Self::Run | Self::Operation | Self::Wait | Self::Stop | Self::Queue => {
                SpanKind::Internal
            }
            Self::Attempt => SpanKind::Client,
            Self::Request => SpanKind::Server,
        }
    }

    /// The fields a span of this name may keep.
    #[must_use]
    #[inline]
    pub fn fields(self) -> &'static [&'static str] {
        use field::*;
        match self {
            Self::Run => &[OTEL_NAME, OTEL_KIND, OTEL_STATUS_CODE, SCENARIO],
            Self::Operation => &[
                OTEL_NAME,
                OTEL_KIND,
                OTEL_STATUS_CODE,
                ENDPOINT,
                ATTEMPTS,
                OUTCOME,
                ERROR_TYPE,
                PROBLEM,
            ],
            Self::Attempt => &[
                OTEL_NAME,
                OTEL_KIND,
                OTEL_STATUS_CODE,
                METHOD,
                URL_TEMPLATE,
                SERVER_ADDRESS,
                SERVER_PORT,
                RESEND_COUNT,
                STATUS,
                ERROR_TYPE,
                LIMIT_BEFORE,
                LIMIT_AFTER,
            ],
            Self::Wait => &[
                OTEL_NAME,
                OTEL_KIND,
                OTEL_STATUS_CODE,
                RETRY_REASON,
                WAIT_SOURCE,
                WAIT_SECONDS,
                WAIT_CEILING,
                METHOD,
                ALLOWED_BY,
                ATTEMPT,
                MAX_ATTEMPTS,
                RETRY_AFTER,
                RETRY_AFTER_SECONDS,
                RETRY_AFTER_MAX,
                REMAINING,
                TOKENS,
            ],
            Self::Stop => &[
                OTEL_NAME,
                OTEL_KIND,
                OTEL_STATUS_CODE,
                STOP_REASON,
                RETRY_REASON,
                STOP_WAIT,
                METHOD,
                ALLOWED_BY,
                ATTEMPT,
                MAX_ATTEMPTS,
                RETRY_AFTER,
                RETRY_AFTER_SECONDS,
                RETRY_AFTER_MAX,
                REMAINING,
                TOKENS,
            ],
            Self::Queue => &[OTEL_NAME, OTEL_KIND, OTEL_STATUS_CODE, LIMIT],
            Self::Request => &[
                OTEL_NAME,
                OTEL_KIND,
                OTEL_STATUS_CODE,
                METHOD,
                ROUTE,
                STATUS,
                REQUEST_ID,
                FAULT,
            ],
        }
    }
}
