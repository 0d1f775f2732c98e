//! The timeline of a run: the rows of its calls, attempts and waits, and their labels.

mod decision;
mod in_flight;
mod label;
mod limit;
mod order;
mod rows;
mod run_timeline;
#[cfg(test)]
mod tests;

pub(crate) use limit::LimitLine;
pub(crate) use run_timeline::{for_a_page, for_a_text, shown_requests};
