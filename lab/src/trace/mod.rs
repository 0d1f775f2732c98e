//! What happened in a run, as spans: recorded, kept as values, carried across
//! the wire.
//!
//! A span is a stretch of time with a name: one call of a client method, one
//! request on the wire, one pause. Spans form a tree, a tree is a trace, and
//! the `traceparent` header lets the tree grow from the client into the
//! service.
//!
//! The lab records for itself instead of reading back from an exporter,
//! because it must show a span while it is still open, stamp it with the clock
//! of the run (which may be a virtual one), and number it from the seed, so
//! that two runs with one seed tell the same story byte for byte.

mod changes;
mod fields;
mod id;
mod model;
mod propagation;
mod recorder;
mod store;
mod visitor;
mod vocabulary;

pub use changes::Changes;
pub use fields::{FieldValue, Fields};
pub use id::{SpanContext, SpanId, TraceId};
pub use model::{Span, Trace};
pub use propagation::{TRACEPARENT, inject, traceparent};
pub use recorder::{Recorder, RecorderLayer};
pub use store::{Dropped, FullTrace, Limits};
pub use vocabulary::{SpanKind, SpanName, field};

#[cfg(test)]
mod tests;
