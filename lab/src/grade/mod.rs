//! `lab grade`: its arguments, and the web routes of the card.

pub(crate) mod cli;
pub(crate) mod web;
