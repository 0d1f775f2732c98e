//! The outer layer of the lab: the command line, the web UI, and the OTLP export of traces.
//!
//! Each command has a crate of its own, which runs it and draws its results: [`scenario`],
//! [`grade`], [`proxy`] and [`storm`]. Here are their arguments and web routes, which need the
//! terminal, the exit codes, the feed and the guard.

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
