//! The lab from outside, as one program: the command, the web UI, grading, the scenarios and
//! their reports, the metrics, the dashboards and the export of traces.
//!
//! Each test has its own recorders, ports and files, so all share a process.
//!
//! ```sh
//! cargo test -p lab --test lab command::documents
//! ```

#![cfg_attr(
    not(unix),
    allow(unused, reason = "tests that send signals or run a shell are for Unix")
)]

mod command;
mod grade;
mod grafana;
mod metrics;
mod otlp;
mod program;
mod report;
mod runs;
mod web;
