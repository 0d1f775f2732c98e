//! Renders the evidence of a run.
//!
//! All functions are pure: they read recorded values, and no clock or terminal, and they
//! run nothing. The output shows only facts that follow from the values.

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

mod comparison;
mod exchange;
mod html;
mod json;
pub mod junit;
mod layout;
mod options;
pub mod page;
mod paint;
mod run_phrases;
mod sheet;
mod storm_text;
mod table;
mod text;
mod waterfall;

pub use comparison::comparison;
pub use html::{html, html_comparison, html_storm};
pub use json::json;
pub use options::Options;
pub use paint::fit;
pub use sheet::Sheet;
pub use storm_text::{storm, storm_list, storm_tally};
pub use table::table;
pub use text::text;
pub use waterfall::{waterfall, waterfalls};
