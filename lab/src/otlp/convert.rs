//! Converts recorded traces into OpenTelemetry spans. This is a pure function: it reads
//! only its arguments, and adds nothing to the recording.

use std::time::{Duration, SystemTime};

use opentelemetry::{
    InstrumentationScope, KeyValue, Value,
    trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState},
};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use scenario::trace::{self, FieldValue, SpanName, Trace, field};

use super::{SCHEMA_URL, instance::Instance};

/// The service name for the spans of the client and of the run around them.
pub const CLIENT_SERVICE: &str = "lab-client";
/// The service name for the spans of the service.
pub const SERVER_SERVICE: &str = "teaching-api";

/// The fields that become a span's name, kind and status instead of attributes.
const SPECIAL: [&str; 3] = [field::OTEL_NAME, field::OTEL_KIND, field::OTEL_STATUS_CODE];

/// The spans of each service, placed so that the run ends at `end`.
pub(super) fn by_service(
    traces: &[Trace],
    end: SystemTime,
    instance: &Instance,
) -> [(&'static str, Vec<SpanData>); 2] {
    let length = traces.iter().map(|trace| trace.taken_at).max();
    let start = end
        .checked_sub(length.unwrap_or_default())
        .unwrap_or(SystemTime::UNIX_EPOCH);
    let spans = |of_the_service: bool| {
        let all = traces
            .iter()
            .flat_map(|trace| trace.spans.iter().map(|span| (span, trace.taken_at)));
        all.filter(|(span, _)| (span.name == SpanName::Request) == of_the_service)
            .map(|(span, taken_at)| span_data(span, taken_at, start, instance))
            .collect()
    };
    [
        (CLIENT_SERVICE, spans(false)),
        (SERVER_SERVICE, spans(true)),
    ]
}

fn span_data(
    span: &trace::Span,
    taken_at: Duration,
    start: SystemTime,
    instance: &Instance,
) -> SpanData {
    let context = SpanContext::new(
        TraceId::from_bytes(instance.salted(span.trace_id)),
        SpanId::from_bytes(span.id.to_bytes()),
        // The lab records every run completely.
        TraceFlags::SAMPLED,
        false,
        TraceState::NONE,
    );
    let attributes = span
        .fields
        .iter()
        .filter(|(name, _)| !SPECIAL.contains(name))
        .map(|(name, value)| KeyValue::new(name, value_of(value)));
    SpanData {
        span_context: context,
        parent_span_id: span
            .parent
            .map_or(SpanId::INVALID, |id| SpanId::from_bytes(id.to_bytes())),
        // The parent of a request reached the service in a header.
        parent_span_is_remote: span.parent.is_some() && span.name == SpanName::Request,
        span_kind: match span.kind() {
            trace::SpanKind::Internal => SpanKind::Internal,
            trace::SpanKind::Client => SpanKind::Client,
            trace::SpanKind::Server => SpanKind::Server,
        },
        name: span.title().to_owned().into(),
        start_time: start + span.start,
        // OTLP cannot express open spans: an open span ends with the snapshot.
        end_time: start + span.end.unwrap_or(taken_at),
        attributes: attributes.collect(),
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links: SpanLinks::default(),
        status: if span.failed() {
            Status::error("")
        } else {
            Status::Unset
        },
        instrumentation_scope: InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
            .with_version(env!("CARGO_PKG_VERSION"))
            .with_schema_url(SCHEMA_URL)
            .build(),
    }
}

fn value_of(value: &FieldValue) -> Value {
    match value {
        FieldValue::Str(text) => text.to_string().into(),
        FieldValue::I64(number) => (*number).into(),
        // OTLP cannot express unsigned numbers.
        FieldValue::U64(number) => match i64::try_from(*number) {
            Ok(number) => number.into(),
            Err(_) => number.to_string().into(),
        },
        FieldValue::F64(number) => (*number).into(),
        FieldValue::Bool(yes) => (*yes).into(),
    }
}
