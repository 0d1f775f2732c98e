//! The lab's edge: the command line, the web UI, loads, the export of traces over
//! OTLP, and the check of a machine before a workshop.
//!
//! What it shows comes from three crates below it, each of which knows less:
//! [`runner`] runs scenarios and returns what happened, [`evidence`] is what
//! happened as values, with the judgement of it, and [`render`] turns those values
//! into text, JSON and HTML.

// No input may end the program: what cannot happen says why it cannot.
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
mod doctor;
mod http_client;
pub mod invocation;
mod load;
mod logging;
pub mod otlp;
pub mod web;
