//! Turns what a run left behind into something to look at.
//!
//! Everything here is a pure function of recorded values: no clock, no
//! terminal, no run. What cannot be read off the values is not shown.

// No input may end the program: what cannot happen says why it cannot.
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
mod findings;
pub mod grade;
mod html;
mod json;
mod junit;
mod layout;
mod load;
mod options;
mod paint;
mod prediction;
mod run_phrases;
mod schema;
mod sheet;
mod storm_check;
mod storm_text;
mod summary;
mod table;
mod text;
mod waterfall;

pub use comparison::comparison;
pub use findings::findings;
pub use html::{html, html_card, html_comparison, html_storm};
pub use json::json;
pub use junit::junit;
pub use load::load;
pub use options::Options;
pub use schema::{card_schema, run_schema, storm_schema};
pub use storm_check::figures as storm_figures;
pub use storm_text::{storm, storm_in_figures, storm_list, storm_tally};
pub use summary::summary;
pub use table::table;
pub use text::text;
pub use waterfall::{waterfall, waterfalls};
