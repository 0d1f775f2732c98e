//! The pictures of a storm, and the sentences and figures about them.

mod frame;
mod sentences;

pub use frame::{
    Interval, StormCurves, StormFrame, StormPicture, limit as storm_limit, storm_columns,
};
pub use sentences::{
    Ending, Level, break_even, ending as storm_ending, moment, storm_figures, storm_learnt,
    storm_terms,
};
