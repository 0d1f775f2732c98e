//! The names of all spans, events, metrics and labels of the client. There are no others.
//!
//! Redaction is a property, not a filter. A query string, a cursor, a key, a body, a header
//! value, a credential or a full URL is never handed to `tracing` or `metrics` at all.
//! OpenTelemetry's HTTP conventions also ask for `url.full` and `url.path`. Both are absent on
//! purpose, since a query or a path segment may be a secret; `url.template` names the endpoint.
//!
//! # Spans
//!
//! All have the target [`TARGET`].
//!
//! | span | `otel.kind` | fields |
//! |---|---|---|
//! | `operation`: one call of a client method | internal | `reliable_api_client.endpoint`, `reliable_api_client.attempts`, `reliable_api_client.outcome`, `error.type`, `reliable_api_client.problem` (the problem of a response or of a listing) |
//! | `attempt`: one request on the wire | client | `http.request.method`, `url.template`, `server.address`, `server.port`, `http.request.resend_count` (absent on the first), `http.response.status_code`, `error.type`; if its response moved the concurrency limit, `reliable_api_client.concurrency.limit_before` and `reliable_api_client.concurrency.limit_after` |
//! | `wait`: one pause before a retry | internal | `reliable_api_client.retry.reason`, `reliable_api_client.wait.source`, `reliable_api_client.wait.seconds`, `reliable_api_client.wait.ceiling_seconds` (the upper bound of a backoff), and the decision context |
//! | `stop`: a failure that is not retried, at the moment of the decision | internal | `reliable_api_client.stop.reason`, `reliable_api_client.retry.reason`, `reliable_api_client.stop.wait_seconds` (the wait that was considered), and the decision context |
//! | `queue`: one wait for a turn under the concurrency limit | internal | `reliable_api_client.concurrency.max` |
//!
//! The *decision context* contains the facts of a decision, as numbers and words of a closed set:
//! `http.request.method`, `reliable_api_client.retry.allowed_by` (`method` or `permission`; absent if the
//! request must not be repeated), `reliable_api_client.retry.attempt`, `reliable_api_client.retry.max_attempts`,
//! `reliable_api_client.retry_after.form` (`none`, `valid`, `past_date`, `unusable`; absent without a
//! response), `reliable_api_client.retry_after.seconds`, `reliable_api_client.retry_after.max_seconds`,
//! `reliable_api_client.deadline.remaining_seconds` and `reliable_api_client.retry_budget.tokens`. Of a `Retry-After`, only
//! the number is recorded: a value that is not a number may hold anything.
//!
//! Each also has `otel.name`, `otel.kind` and `otel.status_code`, which any
//! OpenTelemetry layer understands. Whole numbers are recorded as `i64`, the only
//! integer type of OpenTelemetry: its layers turn an unsigned one into a text.
//!
//! # Events
//!
//! All have the target [`TARGET`] and the level WARN, unless the table says otherwise. So
//! a subscriber that prints no spans shows why a call took long and why it failed.
//!
//! | event | fields |
//! |---|---|
//! | `retry`: a wait begins, and another attempt follows it | `http.request.method`, `url.template`, `reliable_api_client.retry.reason`, `reliable_api_client.retry.attempt`, `reliable_api_client.wait.source`, `reliable_api_client.wait.seconds` |
//! | `give_up`: a rule or a limit of the client ends a call; at DEBUG if the request must not be repeated or its body is a stream | `http.request.method`, `url.template`, `reliable_api_client.stop.reason` (also `page_limit` and `item_limit`), `reliable_api_client.retry.reason`, `reliable_api_client.retry.attempt`, `reliable_api_client.stop.wait_seconds` |
//!
//! There are as many of each as [`RETRIES`] and [`GIVE_UPS`] count.
//!
//! # Metrics
//!
//! [`METRICS`] lists each with its type, unit, labels and the question it answers. An attempt
//! whose future is dropped has no result, so no metric counts it: only the service knows that
//! it was sent.
//!
//! A **call** is one use of a client method, from the first poll of its future to
//! its end, with all its attempts and waits. It is counted once, with its
//! [`CallOutcome`]; if its future is dropped before, the outcome is `cancelled`. Each page of
//! a listing is a call; an item of a page that was read already is not. A repeated cursor
//! ends the call of its page. At the limit of `max_pages` or `max_items`, asking for more is
//! a call that ends with `contract_error`, without a request. A request that is sent through
//! [`http()`](crate::ApiClient::http) or through a
//! [`RetryMiddleware`](crate::RetryMiddleware) of your own is not a call of a client
//! method: only its attempts, retries and give-ups are counted.
//!
//! The counters of all possible events at an endpoint are registered at zero when the client
//! is built: to Prometheus, a series that begins at 1 has not risen. List endpoints of your
//! own in [`Builder::operations`](crate::Builder::operations). The registered statuses are the
//! success and those that are retried, or those that [`Operation::statuses`] names; any other
//! is registered when it first occurs. Impossible events are not registered: a contract error
//! outside of a listing, a retry of a POST without permission, a wait for a `Retry-After`
//! without a response.

mod catalogue;
mod events;
mod handles;
mod labels;
mod observer;
mod operation;
mod outcome;
mod spans;

pub use catalogue::{
    ATTEMPTS, CALL_ATTEMPTS, CALL_ATTEMPTS_BUCKETS, CALL_DURATION, CALL_DURATION_BUCKETS, CALLS,
    CONCURRENCY_REDUCTIONS, CURSOR_LOOPS, DURATION_BUCKETS, GIVE_UPS, METRICS, Metric, MetricKind,
    REQUEST_DURATION, RETRIES, RETRY_WAIT, WAIT_BUCKETS,
};
pub(crate) use handles::Metrics;
pub(crate) use labels::GiveUp;
pub use labels::{method as method_label, status_label};
pub(crate) use observer::{CallObserver, OpenCall};
pub use operation::Operation;
pub(crate) use operation::Rules;
pub use outcome::CallOutcome;
pub use spans::TARGET;

use std::sync::Arc;

use http::HeaderMap;
use tracing::Span;

/// Writes the context of an attempt's span into the headers of its request, so that the
/// trace continues at the service (W3C Trace Context).
///
/// Plain `tracing` has no trace ids; the layer that records the spans has them.
pub type Injector = Arc<dyn Fn(&Span, &mut HeaderMap) + Send + Sync>;

/// A recorder that the client registers its metrics with.
pub type SharedRecorder = Arc<dyn metrics::Recorder + Send + Sync>;
