//! One case of a task: what the wire saw, and beside it what became of the process.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::Judgement;
use crate::{nanoseconds, ties::Ties, wire::WireRecord};

/// One case of a task.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// What the wire saw.
    pub wire: &'a WireRecord,
    /// Which of its requests belong to one call.
    pub ties: Ties<'a>,
    /// What became of the client's process; none if it was not run as one. Only goals
    /// and rules about its end read it.
    pub process: Option<&'a ProcessRecord>,
}

impl<'a> Case<'a> {
    /// A case whose client was not run as a process.
    #[must_use]
    pub fn of(wire: &'a WireRecord) -> Self {
        Self::with(wire, None)
    }

    /// A case, with what became of its client's process.
    #[must_use]
    pub fn with(wire: &'a WireRecord, process: Option<&'a ProcessRecord>) -> Self {
        Self {
            wire,
            ties: Ties::of(wire),
            process,
        }
    }

    /// Whether the lab ended the client's process.
    pub(super) fn was_stopped(&self) -> bool {
        self.process.is_some_and(|it| it.stopped.is_some())
    }

    /// What it comes to that a client has not read on: this, if it ended with a result as
    /// if it had all; the client's choice, if it ended otherwise.
    pub(super) fn left_early(&self, with_result: impl FnOnce() -> Judgement) -> Judgement {
        match self.process {
            None => Judgement::not_exercised(),
            Some(_) if self.was_stopped() => Judgement::still_running(),
            Some(process) if process.ended_with_result() => with_result(),
            Some(_) => Judgement::skipped(),
        }
    }
}

/// What became of a client's process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessRecord {
    /// When it was started, on the clock of the wire record.
    #[serde(rename = "started_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub started: Duration,
    /// When it ended, or was ended.
    #[serde(rename = "ended_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub ended: Duration,
    /// The exit code with which it ended by itself.
    pub exit: Option<i32>,
    /// The signal that ended it, unless the lab had sent it.
    pub signal: Option<i32>,
    /// Why the lab ended it; none if it ended by itself.
    pub stopped: Option<Stopped>,
    /// The last line of what it printed that is not empty.
    pub last_line: Option<String>,
    /// How many bytes it printed.
    pub printed: u64,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
}

/// Why the lab ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The time of the case was up.
    TimeUp,
    /// It had sent more requests than a case has room for.
    Flood,
}
