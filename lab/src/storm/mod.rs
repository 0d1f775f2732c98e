//! `lab storm`: its arguments and its web routes.

pub(crate) mod cli;
pub(crate) mod web;
