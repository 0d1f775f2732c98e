//! Carries a trace across the wire, in the `traceparent` header of W3C Trace
//! Context, §3.2 (<https://www.w3.org/TR/trace-context/#traceparent-header>).
//!
//! The client and the service know no trace ids; each offers a seam instead,
//! and these functions are what the lab puts there. `tracestate` is left out:
//! the lab has no vendor of its own to speak for.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::{
    model::{SpanContext, SpanId, TraceId, lower_hex},
    recorder::Recorder,
};

/// The header that carries a [`SpanContext`].
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// A context as the value of the header: version 00, always sampled, since the
/// lab records every run whole.
///
/// ```
/// use lab::trace::{SpanContext, SpanId, TraceId, traceparent};
///
/// let context = SpanContext {
///     trace_id: TraceId::from_hex("0123456789abcdef0123456789abcdef").unwrap(),
///     span_id: SpanId::from_hex("0123456789abcdef").unwrap(),
/// };
/// assert_eq!(
///     traceparent(context),
///     "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
/// );
/// ```
#[must_use]
pub fn traceparent(context: SpanContext) -> String {
    format!("00-{}-{}-01", context.trace_id, context.span_id)
}

/// Writes where `span` stands into the headers of its request. A span the
/// recorder does not know leaves them as they are.
pub fn inject(recorder: &Recorder, span: &tracing::Span, headers: &mut HeaderMap) {
    if let Some(context) = recorder.context(span) {
        let value = HeaderValue::try_from(traceparent(context)).expect("hex digits and hyphens");
        headers.insert(TRACEPARENT, value);
    }
}

/// Reads the caller's context from the headers of a request.
///
/// `None` if there is no such header, more than one, or an invalid one. Of a
/// version above 00 the fields that version 00 knows are read, as §3.2.4 asks.
#[must_use]
pub fn extract(headers: &HeaderMap) -> Option<SpanContext> {
    let mut values = headers.get_all(TRACEPARENT).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let mut parts = value.to_str().ok()?.split('-');
    let mut hex = |digits| lower_hex(parts.next()?, digits);
    let version = hex(2).filter(|version| *version != "ff")?;
    let context = SpanContext {
        trace_id: TraceId::from_hex(hex(32)?)?,
        span_id: SpanId::from_hex(hex(16)?)?,
    };
    hex(2)?;
    (version != "00" || parts.next().is_none()).then_some(context)
}
