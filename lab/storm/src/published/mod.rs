//! The storm compared with published figures, and with the results of formulas.
//!
//! Each figure belongs to a model of a service that is simulated here with the clients of
//! the lab: [`ApiClient`](client::ApiClient)s with the real
//! middleware, in virtual time. Only the service behind the transport is a model, so a
//! figure that agrees validates the real client.
//!
//! Tests that take minutes are ignored, and `.ci/full` runs them. `lab/docs/storm.md` lists
//! the figures.

mod collapse;
mod contention;
mod draw;
mod experiment;
mod formula;
mod lengths;
mod prediction;
mod stage;
mod stories;
mod unreliable;
