//! The teaching API: a local HTTP service with faults on purpose.
//!
//! (being written)

mod canonical_json;
mod clock;
mod config;
mod cursor;
mod early;
mod idempotency;
mod instruments;
mod ledger;
mod lesson;
mod metrics_sink;
mod observe;
mod page;
mod problem;
mod request_id;
mod retry_after;
mod router;
mod routes;
mod seed_key;
mod serve;
mod service;
mod state;
pub mod telemetry;
#[cfg(test)]
mod testing;
mod traceparent;

pub use clock::{Clock, SystemClock};
pub use config::{
    ConfigError, DEFAULT_DRAIN_DEADLINE, DEFAULT_LEDGER_CAPACITY, DEFAULT_MAX_JOBS, DEFAULT_PORT,
    MAX_CAPACITY, MAX_DRAIN_DEADLINE, ServiceConfig, ServiceConfigBuilder,
};
pub use ledger::{Ledger, LedgerEntry, LedgerSnapshot, RouteTotals};
pub use lesson::Fault;
pub use metrics_sink::Metrics;
pub use problem::Problem;
pub use router::router;
pub use seed_key::Fingerprint;
pub use service::{RunningApi, StartError, StopError, Stopped, TeachingApi};
pub use state::ServiceState;
