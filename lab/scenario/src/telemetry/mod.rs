//! The counters of each run, and of the process as a whole.

mod exposition;
mod run_recorder;
mod vocabulary;

pub(crate) use exposition::RunMetrics;
pub use exposition::{Exposition, prometheus_recorder};
pub(crate) use vocabulary::Metric;
pub use vocabulary::metrics;
