//! The storm: many clients with the real middleware, one service with a capacity, in
//! virtual time.
//!
//! The clients are [`ReliableApiClient`](client::teaching::ReliableApiClient)s, whose transport is
//! a model of a service; everything else is the real client. A run with the same seed
//! repeats on every machine.

mod call;
mod chance;
mod clients;
#[cfg(test)]
mod conservation;
mod counts;
mod exponential;
mod layers;
mod load;
mod parallel;
mod plan;
#[cfg(test)]
mod published;
mod seeds;
mod service;
mod simulate;
mod story;
mod timeline;

pub(crate) use exponential::Exponential;
pub use plan::{DEFAULT_SEED, Plan};
pub use seeds::simulate_seeds;
pub use simulate::{MOST_POLICIES, Progress, StormError, simulate};
pub use story::{STORIES, Story, policy, story};
