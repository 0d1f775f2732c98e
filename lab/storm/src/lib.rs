//! `lab storm`: many clients with the real middleware, one service with a capacity, and a
//! short incident, in virtual time.
//!
//! The clients are [`ApiClient`](client::ApiClient)s, whose transport is
//! a model of a service; everything else is the real client. [`simulate()`] runs a [`Plan`] and
//! returns a [`Storm`]; a run with the same seed repeats on every machine. [`STORIES`] are the
//! storms that teach something. [`StormPicture`] is what a page draws of one.

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

mod call;
mod calls;
mod cause;
mod chance;
mod client_counts;
mod clients;
#[cfg(test)]
mod conservation;
mod counts;
mod effect;
mod exponential;
mod frame;
mod html;
mod layers;
mod load;
mod model;
mod parallel;
mod parameter;
mod plan;
mod policy;
#[cfg(test)]
mod published;
mod readout;
mod recovery;
mod seeds;
mod sentences;
mod service;
mod settings;
mod shared_terms;
mod simulate;
mod step;
mod story;
mod story_words;
mod tally;
mod text;
mod timeline;

pub use calls::{ALL, SuccessLevel, level};
pub use frame::{
    Interval, StormCurves, StormFrame, StormPicture, limit as storm_limit, storm_columns,
};
pub use html::{html_storm, storm_begun, storm_over, storm_picture};
pub use model::{Cut, PolicyRun, STORM_VERSION, Storm, Totals};
pub use parameter::{Parameter, ParameterError, Parameters, Value, Values};
pub use plan::{DEFAULT_SEED, Plan};
pub use policy::{
    Abandoned, Backoff, CALLS_PER_RETRY, ClientKind, Order, Retrying, Setup, StormPolicy,
};
pub use readout::{moment, per_second, percent, rate};
pub use recovery::Recovery;
pub use seeds::simulate_seeds;
pub use sentences::{
    Ending, MarkedRate, break_even, ending as storm_ending, lead_title, storm_figures,
    storm_learnt, storm_terms,
};
pub use settings::{GROWTH, Incident, Load, RetryAfter, Settings, SettingsError, Work};
pub use simulate::{MOST_POLICIES, Progress, StormError, simulate, simulate_in_parallel};
pub use step::{Latency, STEP, Step};
pub use story::{STORIES, Story, policy, story};
pub use story_words::{Lead, StoryWords};
pub use tally::{End, PolicyTally, Tally};
pub use text::{storm, storm_list, storm_tally};
