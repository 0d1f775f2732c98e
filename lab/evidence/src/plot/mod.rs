//! Charts of a run as values, independent of how they are drawn: rows, labels, positions
//! on an axis and the cells of a table.

mod case_chart;
mod chart;
mod in_flight;
mod label;
mod limit;
mod order;
mod rows;
mod scale;
mod storm_frame;
mod storm_sentences;
mod table;
mod waterfall;
mod why;

pub use case_chart::{CaseChart, CaseRow};
pub use chart::Chart;
pub use in_flight::InFlight;
pub use limit::{LimitLine, LimitStep};
pub use rows::{Detail, Mark, Part, Row};
pub use scale::Scale;
pub use storm_frame::{
    StormCurves, StormFrame, StormPicture, Stretch, limit as storm_limit, storm_columns,
};
pub use storm_sentences::{
    Ending, Level, break_even, ending as storm_ending, moment, storm_figures,
    storm_figures_in_short, storm_learnt, storm_terms,
};
pub use table::{Column, Table, TableRow};
pub use waterfall::{Axis, Tick, Waterfall};
