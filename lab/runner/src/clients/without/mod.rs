//! The reference client without one of its defences.
//!
//! Each is one file: what is taken away, what shows then, and how such a client is made
//! of the public parts of `client`, which has no switch for it. Such clients are run
//! to be compared, and no run of theirs counts towards the client's series of a process.

use std::fmt;

use client::{
    ConfigError,
    telemetry::{METRICS, Metric, SharedRecorder},
};
use evidence::{Client, Defence, Policy};

use super::{ClientUnderTest, Connection, RELIABLE, Reliable, ScenarioClient, Task};

/// Makes a module and an entry of [`WITHOUT`] out of each name.
///
/// `cargo fmt` does not see a module that a macro declares: `.ci/run` checks the
/// format of these files apart.
macro_rules! without {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// Every defence that can be taken away, and the client that is left.
        pub static WITHOUT: &[&Without] = &[$(&$name::WITHOUT),*];
    };
}

without! {
    retry_after_seconds
    backoff_jitter
    cursor_loop
    idempotency_key_reuse
    body_media_type
    deadline
}

/// The reference client without one of its defences.
pub struct Without {
    /// What it is called.
    name: &'static str,
    /// What is taken away.
    pub defence: &'static Defence,
    /// What it is allowed, of what the reference client is.
    allowed: fn(Policy) -> Policy,
    connect: fn(Connection) -> Result<Box<dyn ScenarioClient>, ConfigError>,
}

impl ClientUnderTest for Without {
    fn identity(&self) -> Client {
        Client {
            name: self.name,
            without: Some(self.defence),
            ..RELIABLE
        }
    }

    fn about(&self) -> &'static str {
        self.defence.instead
    }

    fn terms(&self, policy: &Policy, listing: bool) -> Vec<String> {
        let rest = Reliable.terms(&(self.allowed)(*policy), listing);
        let missing = format!("without {}", self.defence.id);
        [missing].into_iter().chain(rest).collect()
    }

    fn metrics(&self) -> &'static [Metric] {
        &METRICS
    }

    /// Nothing: no run of it counts towards a process.
    fn register(&self, _: &SharedRecorder, _: &[Task]) {}

    fn connect(&self, connection: Connection) -> Result<Box<dyn ScenarioClient>, ConfigError> {
        let policy = (self.allowed)(connection.policy);
        (self.connect)(Connection {
            policy,
            ..connection
        })
    }
}

impl fmt::Debug for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Without").field(&self.defence.id).finish()
    }
}
