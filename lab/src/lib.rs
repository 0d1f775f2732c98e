//! The outer layer of the lab: the command line, the web UI, and the OTLP export of traces.
//!
//! Each product has a crate of its own, which runs it and draws its results. Its folder here
//! holds the rest: its arguments (`cli`) and its web routes (`web`), which need the shell: the
//! terminal and the exit codes in [`cli`], the frame of a page and the guard in [`web`].

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

mod causes;
pub mod cli;
mod grade;
mod http_client;
pub mod invocation;
mod logging;
pub mod otlp;
mod proxy;
mod scenario;
mod storm;
pub mod web;
