//! Support that the tests of several crates share: raw sockets, processes, files of the
//! repository, a certificate authority, and generators of values.
//!
//! It depends on no other crate of the workspace, so that each of them may use it. Support
//! that knows a crate stands beside the tests of that crate.

pub mod files;
pub mod http;
mod listener;
mod nearly;
pub mod process;
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
