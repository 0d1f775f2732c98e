//! What is counted: by each run on its own, and by the process as a whole.

mod exposition;
mod prometheus;
mod run_recorder;
mod vocabulary;

pub use exposition::Exposition;
pub(crate) use exposition::RunMetrics;
pub use prometheus::prometheus_recorder;
pub use vocabulary::metrics;
