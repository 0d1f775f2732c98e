//! Counts over time, as a value: stacked columns, and a line with steps, on an axis of time that
//! several pictures share.
//!
//! A product says what is counted and when. How it looks is decided here, once: as a lane that
//! fills a cell of a table, and as a small picture without words. All positions are shares of the
//! cell, so that neither a text nor a pattern is distorted.

mod fill;
mod ground;
mod lane;
mod spread;
#[cfg(test)]
mod tests;

pub use fill::{Fill, sample};
pub use ground::{Ground, Mark, Span};
pub use lane::{Columns, Level, Series};
pub use spread::{Spread, sample_of_median, sample_of_tail};

/// A share of a width or a height, as an attribute.
fn percent(share: f64) -> String {
    format!("{share:.2}%")
}
