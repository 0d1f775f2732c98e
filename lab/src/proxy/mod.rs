//! `lab proxy`: its arguments.

pub(crate) mod cli;
