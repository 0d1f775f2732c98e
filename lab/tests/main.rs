//! The lab from outside, as one program: the command, the web UI, grading, the scenarios and
//! their reports, the metrics, the dashboards and the export of traces.
//!
//! Each test has its own recorders, ports and files, so all share a process. Only `memory` has
//! one of its own, since its allocator counts for the process as a whole.
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
mod report;
mod runs;
mod web;
