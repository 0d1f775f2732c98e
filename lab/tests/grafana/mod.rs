//! The dashboards and alerts, checked against the code that makes the metrics and traces.
//!
//! `promtool` and Compose check their files themselves, in `.ci/run`. A test here that
//! needs Prometheus is ignored by default:
//!
//! ```sh
//! apt-get install prometheus
//! cargo test -p lab --test lab grafana:: -- --ignored
//! ```

mod alerts;
mod dashboards;
mod files;
mod linter;
mod panels;
mod prometheus;
