//! `lab storm`: many clients with the real middleware, one service with a capacity, and a
//! short incident, in virtual time.
//!
//! The clients are [`ApiClient`](client::ApiClient)s, whose transport is
//! a model of a service; everything else is the real client. [`simulate()`] runs a [`Plan`] and
//! returns a [`Storm`]; a run with the same seed repeats on every machine. [`STORIES`] are the
//! storms that teach something. [`storm()`] renders one as text, [`html_storm`] as a page.

// No input may end the program: each impossible case states its reason.
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

mod clients;
mod command;
#[cfg(test)]
mod conservation;
mod html;
mod loads;
mod model;
mod options;
mod plan;
mod policy;
#[cfg(test)]
mod published;
mod results;
mod settings;
mod simulation;
mod stories;
mod text;

pub use html::{GUESS, RECOVERS, STAYS_DOWN, Shown, StormPicture, html_loads, html_storm, terms};
pub use loads::{Loads, LoadsError};
pub use options::{OptionError, PolicyOptions, SettingsOptions};
pub use plan::{MOST_POLICIES, Plan, StormError};
pub use policy::{Backoff, Setup, StormPolicy};
pub use results::{
    Cut, PolicyRun, Step, Storm,
    loads::{LoadCell, LoadRow, LoadTable},
    tally::{Tally, WordCounts},
    word::Word,
};
pub use settings::{Incident, Settings};
pub use simulation::{
    Progress, loads::simulate_loads, seeds::simulate_seeds, simulate, simulate_in_parallel,
};
pub use stories::{STORIES, Story, policy, story};
pub use text::{storm, storm_list, storm_loads, storm_tally};

pub(crate) use settings::RetryAfter;
