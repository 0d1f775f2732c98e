//! The counters of each run, and of the process as a whole.

mod exposition;
mod prometheus;
mod run_recorder;
mod vocabulary;

pub use exposition::Exposition;
pub(crate) use exposition::RunMetrics;
pub use prometheus::prometheus_recorder;
pub use vocabulary::metrics;
