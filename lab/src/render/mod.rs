//! Turns what a run left behind into something to look at.
//!
//! Everything here is a pure function of recorded values: no clock, no
//! terminal, no run. What cannot be read off the values is not shown.

mod duration;
mod label;
mod layout;
mod paint;
mod rows;
mod scale;
mod waterfall;

pub use duration::duration;
pub use waterfall::{Options, waterfall};
