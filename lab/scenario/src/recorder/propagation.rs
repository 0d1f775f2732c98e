//! Carries a trace across the wire, in the `traceparent` header of W3C Trace
//! Context, §3.2 (<https://www.w3.org/TR/trace-context/#traceparent-header>).
//!
//! Plain `tracing` has no trace ids, so the client has a hook that gets an attempt's span
//! and the headers of its request. The lab's hook is [`inject`]. The service reads the
//! header. There is no `tracestate`: the lab has no vendor data.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::layer::Recorder;
use crate::trace::SpanContext;

/// The header that carries a [`SpanContext`].
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// A context as the value of the header: version 00, always sampled, since the
/// lab records every run whole.
fn traceparent(context: SpanContext) -> String {
    format!("00-{}-{}-01", context.trace_id, context.span_id)
}

/// Writes the ids of `span` into the headers of its request. A span the
/// recorder does not know leaves them as they are.
pub(crate) fn inject(recorder: &Recorder, span: &tracing::Span, headers: &mut HeaderMap) {
    if let Some(context) = recorder.context(span) {
        #[expect(clippy::expect_used, reason = "it is made here")]
        let value = HeaderValue::try_from(traceparent(context)).expect("hex digits and hyphens");
        headers.insert(TRACEPARENT, value);
    }
}
