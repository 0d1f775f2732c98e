//! The events of a run as spans: values for renderers, exporters and verdicts.
//!
//! A span is a stretch of time with a name: one call of a client method, one request on the
//! wire, one wait. Spans form a tree, which is a trace. The `traceparent` header extends the
//! tree from the client into the service.

mod fields;
mod id;
mod model;
#[cfg(test)]
pub mod testing;
mod vocabulary;

pub use fields::{FieldValue, Fields};
pub use id::{SpanContext, SpanId, TraceId};
pub use model::{Span, Trace};
pub use vocabulary::{SpanKind, SpanName, field};
