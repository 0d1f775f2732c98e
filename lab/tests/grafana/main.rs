//! What Grafana, Prometheus, Tempo and Docker are told, held against the code
//! whose numbers and traces it is about.
//!
//! The files are read as they stand in the repository. Most of the tests need
//! nothing else. What needs a program that not every machine has is ignored
//! unless asked for:
//!
//! ```sh
//! apt-get install prometheus docker-compose
//! cargo test -p lab --test grafana -- --ignored
//! ```

mod alerts;
mod colours;
mod compose;
mod dashboards;
mod expected_panels;
mod files;
mod first_event;
mod fresh_lab;
mod layout;
mod links;
mod linter;
mod live;
mod prometheus;
mod promql;
mod promtool;
mod provisioning;
mod room;
mod rules;
mod vocabulary;
