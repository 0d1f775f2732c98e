//! The chart of a run: the rows of its calls, attempts and waits, their labels, and the
//! waterfall that they make.

mod chart;
mod label;
mod limit;
mod order;
mod rows;
mod waterfall;
mod why;

pub use chart::Chart;
pub use limit::{LimitLine, LimitStep};
pub use rows::{Detail, Part, Row};
pub use waterfall::Waterfall;
