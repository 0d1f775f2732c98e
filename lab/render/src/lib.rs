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
pub mod grade;
mod html;
mod json;
mod junit;
mod layout;
mod options;
mod paint;
pub mod proxy;
mod run_phrases;
mod sheet;
mod storm_text;
mod summary;
mod table;
mod text;
mod waterfall;

pub use comparison::comparison;
pub use html::{html, html_card, html_comparison, html_proxy, html_storm};
pub use json::json;
pub use junit::{junit, junit_proxy};
pub use options::Options;
pub use storm_text::{storm, storm_list, storm_tally};
pub use summary::summary;
pub use table::table;
pub use text::text;
pub use waterfall::{waterfall, waterfalls};
