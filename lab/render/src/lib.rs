//! What several products draw with: the sheet of a terminal, a timeline, columns over time,
//! the components and the frame of a page, and JUnit.
//!
//! All functions are pure: they read values, and no clock or terminal, and they run nothing.

// Input must not cause a panic: an `expect` gives the reason why it cannot fail.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod axis;
pub mod columns;
mod json;
pub mod junit;
mod options;
pub mod page;
mod paint;
mod report_mark;
mod scale;
mod sheet;
mod table;
pub mod timeline;

pub use axis::{Axis, Tick, round};
pub use json::json;
pub use options::Options;
pub use paint::{fit, harmless};
pub use report_mark::{LONGEST_REPORT_START, is_report};
pub use sheet::Sheet;
pub use table::{Column, Table, TableRow, number, optional, words};
