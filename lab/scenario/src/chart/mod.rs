//! The chart of a run: the rows of its calls, attempts and waits, and their labels.

mod decision;
mod in_flight;
mod label;
mod limit;
mod order;
mod rows;
mod run_chart;

pub(crate) use limit::LimitLine;
pub(crate) use rows::{Part, Row};
pub use run_chart::Chart;
pub(crate) use run_chart::under_no_folded_one;
