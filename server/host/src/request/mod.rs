//! One request and its response: what is recorded of both.

pub mod body;
mod observe;

pub use observe::{IDEMPOTENCY_KEY, NextCursor};
pub(crate) use observe::{Observation, is_bodiless};
