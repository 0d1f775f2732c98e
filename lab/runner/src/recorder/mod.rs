//! Records the spans of a run as plain values, and carries a trace across the wire.
//!
//! The lab records for itself instead of reading back from an exporter,
//! because it must show a span while it is still open, stamp it with the clock
//! of the run (which may be a virtual one), and number it from the seed, so
//! that two runs with one seed tell the same story byte for byte.

mod layer;
mod propagation;
mod store;
mod visitor;

pub use layer::{Recorder, RecorderLayer};
pub use propagation::{TRACEPARENT, inject, traceparent};
pub use store::Limits;

#[cfg(test)]
mod tests;
