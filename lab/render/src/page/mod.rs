//! The components that pages and reports share, and their one style sheet.

mod document;
mod parts;
mod tables;
mod values;

pub use document::{STYLE, document, refreshing_document};
pub use parts::{ChipState, Tile, chip, class_and_mark, marked, panel, word};
pub use tables::{PictureColumn, picture_table, table, wide_table};
pub use values::{ValueAxis, short};
