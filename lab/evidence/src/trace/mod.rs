//! What happened in a run, as spans: values that renderers, exporters and verdicts
//! read.
//!
//! A span is a stretch of time with a name: one call of a client method, one
//! request on the wire, one pause. Spans form a tree, a tree is a trace, and
//! the `traceparent` header lets the tree grow from the client into the
//! service.

mod fields;
mod id;
mod model;
mod vocabulary;

pub use fields::{FieldValue, Fields};
pub use id::{SpanContext, SpanId, TraceId};
pub use model::{Span, Trace};
pub use vocabulary::{SpanKind, SpanName, field};
