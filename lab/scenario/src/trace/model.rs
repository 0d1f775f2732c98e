//! A recorded trace as plain values, for renderers, exporters and verdicts.
//!
//! There is no clock and no subscriber here. All times are offsets from the start of the run
//! on the run's own clock, so a wait of two minutes in virtual time is two minutes here.

use std::time::Duration;

use serde::Serialize;
use wire::nanoseconds;

use super::{
    fields::Fields,
    id::{SpanId, TraceId},
    vocabulary::{SpanKind, SpanName, field},
};

/// One stretch of time in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// The id of the span within its trace.
    pub id: SpanId,
    /// The parent span. It need not be in the trace: only the id of another program's span
    /// is known.
    pub parent: Option<SpanId>,
    /// The kind of span.
    pub name: SpanName,
    /// When it started.
    #[serde(rename = "start_ns", with = "nanoseconds")]
    pub start: Duration,
    /// When it ended; `None` while it is open.
    #[serde(rename = "end_ns", with = "nanoseconds")]
    pub end: Option<Duration>,
    /// The recorded fields.
    pub fields: Fields,
}

impl Span {
    /// The side of a call that the span is on.
    #[must_use]
    pub fn kind(&self) -> SpanKind {
        self.name.kind()
    }

    /// The name for people: `otel.name`, or else the kind of span.
    #[must_use]
    pub fn title(&self) -> &str {
        self.fields
            .text(field::OTEL_NAME)
            .unwrap_or(self.name.as_str())
    }

    /// Whether it is marked as failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.fields.text(field::OTEL_STATUS_CODE) == Some("ERROR")
    }
}

/// A tree of spans with one root cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trace {
    /// The id of the trace.
    pub id: TraceId,
    /// The spans in the order of their starts.
    pub spans: Vec<Span>,
    /// The number of spans that were dropped because the trace was full.
    pub dropped_spans: u64,
    /// When this snapshot was taken: an open span has lasted at least until then.
    #[serde(rename = "taken_at_ns", with = "nanoseconds")]
    pub taken_at: Duration,
}
