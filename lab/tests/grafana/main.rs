//! The configuration of Grafana, Prometheus, Tempo and Docker, checked against the code
//! that makes the metrics and traces.
//!
//! Most of the tests read only files of the repository. A test that needs a program
//! which not every machine has is ignored by default:
//!
//! ```sh
//! apt-get install prometheus docker-compose
//! cargo test -p lab --test grafana -- --ignored
//! ```

mod accuracy;
mod alerts;
mod bad_requests;
mod compose;
mod dashboards;
mod expected_panels;
mod files;
mod first_event;
mod fresh_lab;
mod links;
mod linter;
mod prometheus;
mod promql;
mod promtool;
mod rules;
mod runbooks;
mod settings;
mod telemetry_document;
mod try_it;
mod vocabulary;
