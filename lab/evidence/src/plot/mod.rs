//! What a chart of a run shows, whatever it is drawn with: rows, labels and places
//! on an axis, as values.

mod chart;
mod label;
mod rows;
mod scale;

pub use chart::Chart;
pub use rows::Row;
pub use scale::Scale;
