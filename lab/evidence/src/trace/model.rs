//! A recorded trace as plain values: what renderers, exporters and verdicts
//! read.
//!
//! Nothing here knows a clock or a subscriber. All times are offsets from the
//! start of the run on the run's own clock, so a wait of two minutes in
//! virtual time is two minutes here.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::nanoseconds;

use super::{
    fields::Fields,
    id::{SpanId, TraceId},
    vocabulary::{SpanKind, SpanName, field},
};

/// One stretch of time in a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Span {
    /// Names the span within its trace.
    pub id: SpanId,
    /// The span it was opened under. It need not be in the trace: a foreign
    /// client's span is known by its id alone.
    pub parent: Option<SpanId>,
    /// The trace the span belongs to. Serialised, it stands at the trace alone.
    #[serde(skip)]
    pub trace_id: TraceId,
    /// What the span is about.
    pub name: SpanName,
    /// When it was opened.
    #[serde(rename = "start_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub start: Duration,
    /// When it was closed; `None` while it is open.
    #[serde(rename = "end_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub end: Option<Duration>,
    /// What was recorded about it.
    pub fields: Fields,
}

impl Span {
    /// Which side of a call the span stands on.
    #[must_use]
    pub fn kind(&self) -> SpanKind {
        self.name.kind()
    }

    /// What a person calls the span: its `otel.name`, or else its plain name.
    #[must_use]
    pub fn title(&self) -> &str {
        self.fields
            .text(field::OTEL_NAME)
            .unwrap_or(self.name.as_str())
    }

    /// Whether it has been marked as failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.fields.text(field::OTEL_STATUS_CODE) == Some("ERROR")
    }
}

/// A tree of spans that belong to one cause.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Trace {
    /// Names the trace.
    pub id: TraceId,
    /// The spans in the order they started.
    pub spans: Vec<Span>,
    /// How many spans found the trace full and were not kept.
    pub dropped_spans: u64,
    /// When this picture was taken: an open span has lasted at least until
    /// then.
    #[serde(rename = "taken_at_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub taken_at: Duration,
}

impl Trace {
    /// The spans directly under a span, in the order they started.
    pub fn children_of(&self, parent: SpanId) -> impl Iterator<Item = &Span> {
        self.spans
            .iter()
            .filter(move |span| span.parent == Some(parent))
    }
}
