//! Charts as values, independent of how they are drawn: rows, labels, positions on an axis
//! and the cells of a table.

mod run;
mod scale;
mod storm;
mod table;

pub use run::{Axis, Chart, Detail, LimitLine, LimitStep, Mark, Part, Row, Tick, Waterfall};
pub use scale::{Extent, Scale};
pub use storm::{
    Ending, Interval, Level, StormCurves, StormFrame, StormPicture, break_even, moment,
    storm_columns, storm_ending, storm_figures, storm_learnt, storm_limit, storm_terms,
};
pub use table::{Column, Table, TableRow};
