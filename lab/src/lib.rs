//! The lab's edge: the command line, the web UI, loads, the export of traces over
//! OTLP, and the check of a machine before a workshop.
//!
//! What it shows comes from three crates below it, each of which knows less:
//! [`runner`] plays scenarios and returns what happened, [`evidence`] is what
//! happened as values, with the judgement of it, and [`render`] turns those values
//! into text, JSON and HTML.

pub mod cli;
mod doctor;
mod http_client;
pub mod invocation;
mod load;
mod logging;
pub mod otlp;
pub mod web;
