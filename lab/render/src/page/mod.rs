//! The components that pages and reports share, and their one style sheet.

mod document;
mod parts;
mod strip;
mod tables;

pub use document::{STYLE, document, refreshing_document};
pub use parts::{Tile, class_and_mark, marked, panel, word};
pub use strip::strip;
pub use tables::{PictureColumn, picture_table, table, wide_table};

/// A number with one decimal, unless it is whole.
#[must_use]
pub fn short(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    tenths.to_string()
}
