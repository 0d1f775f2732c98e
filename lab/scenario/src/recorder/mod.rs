//! Records the spans of a run as plain values, and carries a trace across the wire.
//!
//! The lab has its own recorder instead of reading back from an exporter, because it must
//! show a span while it is open, use the clock of the run (which may be virtual), and draw
//! ids from the seed, so that two runs with one seed are equal byte for byte.

mod layer;
mod propagation;
mod store;
mod visitor;

pub use layer::Recorder;
pub(crate) use propagation::inject;

#[cfg(test)]
mod tests;
