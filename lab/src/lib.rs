//! The outer layer of the lab: the command line, the web UI, the OTLP export of
//! traces, and the check of a machine before a workshop.
//!
//! It builds on three crates: [`runner`] runs scenarios and returns evidence,
//! [`evidence`] defines and judges the evidence as values, and [`render`] turns those
//! values into text, JSON and HTML.

// Input must not cause a panic: an `expect` gives the reason why it cannot fail.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod cli;
mod http_client;
pub mod invocation;
mod logging;
pub mod otlp;
pub mod web;
