//! `lab scenario`: its arguments, and the web routes of runs.

pub(crate) mod cli;
pub(crate) mod web;
