//! `lab grade`: its arguments, and the web routes of the card.

pub(crate) mod cli;
mod policy_under_load;
mod saves;
pub(crate) mod web;
