//! The storm: many clients with the middleware that ships, one service with a capacity,
//! in virtual time.
//!
//! The clients are [`ReliableApiClient`](client::ReliableApiClient)s, whose transport is
//! a model of a service; nothing else of them is modelled. A run repeats by its seed, on
//! every machine.

mod call;
mod chance;
mod clients;
mod counts;
mod load;
mod play;
mod policy;
mod service;
mod timeline;

pub use play::{Heard, MOST_POLICIES, StormError, play};
pub use policy::POLICIES;
