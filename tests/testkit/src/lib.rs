//! Support that the tests of several crates share: raw sockets, processes, files of the
//! repository, a certificate authority, generators of values, and scripted records.
//!
//! It depends on no other crate of the workspace but `wire`, so that each of the others may
//! use it. Support that knows another crate stands beside the tests of that crate.

pub mod files;
pub mod http;
mod listener;
mod nearly;
pub mod process;
pub mod script;
pub mod tls;

use std::time::Duration;

pub use listener::responding;
pub use nearly::nearly;

/// How long a test waits for something that is sure to happen. It is long enough for a busy
/// machine; without it the test would hang rather than fail.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Milliseconds.
#[must_use]
pub const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
