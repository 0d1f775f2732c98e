//! One play of a task: what the wire saw, and beside it what became of the process.

use std::time::Duration;

use crate::wire::WireRecord;

/// One play of a task.
#[derive(Clone, Copy, Debug)]
pub struct Play<'a> {
    /// What the wire saw.
    pub wire: &'a WireRecord,
    /// What became of the client's process; none if it was not run as one. Only goals
    /// and rules about its end read it.
    pub process: Option<&'a PlayRecord>,
}

impl<'a> Play<'a> {
    /// A play whose client was not run as a process.
    #[must_use]
    pub const fn of(wire: &'a WireRecord) -> Self {
        Self {
            wire,
            process: None,
        }
    }
}

/// What became of a client's process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayRecord {
    /// When it was started, on the clock of the wire record.
    pub started: Duration,
    /// When it ended; none if it was still running at the end of the play.
    pub ended: Option<Duration>,
    /// The exit code with which it ended by itself.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was ended because its time was up.
    pub killed: bool,
    /// The last line of what it printed.
    pub last_line: Option<String>,
}
