//! One case of a task: the record of the wire, and how the process ended.

use std::time::Duration;

use serde::Serialize;

use super::{CardContext, Judgement, context::NONE};
use crate::{nanoseconds, ties::Ties, wire::WireRecord};

/// One case of a task.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The record of the wire.
    pub wire: &'a WireRecord,
    /// Which of its requests belong to one call.
    pub ties: Ties<'a>,
    /// How the client's process ended; none if it was not run as a process. Only goals and
    /// rules about its end read it.
    pub process: Option<&'a ProcessRecord>,
    /// What the other cases of its card say of the client.
    pub context: &'a CardContext,
}

impl<'a> Case<'a> {
    /// A case of no card, whose client was not run as a process.
    #[must_use]
    pub fn of(wire: &'a WireRecord) -> Self {
        Self::with(wire, None, &NONE)
    }

    /// A case of a card, with what became of its client's process.
    #[must_use]
    pub fn with(
        wire: &'a WireRecord,
        process: Option<&'a ProcessRecord>,
        context: &'a CardContext,
    ) -> Self {
        Self {
            wire,
            ties: Ties::with(wire, context.hedges),
            process,
            context,
        }
    }

    /// Whether the lab stopped the client's process before it had a result.
    pub(super) fn was_stopped(&self) -> bool {
        let stopped = self.process.and_then(|it| it.stopped);
        stopped.is_some_and(|why| why != Stopped::Lingered)
    }

    /// The judgement of a client that has not read on: `with_result` if it ended with a result
    /// as if it were complete; skipped, the client's choice, if it ended otherwise.
    pub(super) fn left_early(&self, with_result: impl FnOnce() -> Judgement) -> Judgement {
        match self.process {
            None => Judgement::not_exercised(),
            Some(_) if self.was_stopped() => Judgement::still_running(),
            Some(process) if process.ended_with_result() => with_result(),
            Some(_) => Judgement::skipped(),
        }
    }
}

/// How a client's process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProcessRecord {
    /// When it was started, on the clock of the wire record.
    #[serde(rename = "started_ns", with = "nanoseconds")]
    pub started: Duration,
    /// When it ended or was stopped.
    #[serde(rename = "ended_ns", with = "nanoseconds")]
    pub ended: Duration,
    /// Its exit code; none if a signal or the lab ended it.
    pub exit: Option<i32>,
    /// The signal that ended it; none for a signal from the lab.
    pub signal: Option<i32>,
    /// Why the lab stopped it; none if the lab did not.
    pub stopped: Option<Stopped>,
    /// The last non-empty line that it printed.
    pub last_line: Option<String>,
    /// When it printed that line, on the clock of the wire record.
    #[serde(rename = "printed_at_ns", with = "nanoseconds")]
    pub printed_at: Option<Duration>,
    /// The largest delay of the lab's own scheduling while the case ran: how late a timer
    /// fired that it started again and again.
    #[serde(rename = "lab_delay_ns", with = "nanoseconds")]
    pub lab_delay: Duration,
    /// The number of bytes that it printed.
    pub printed: u64,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
}

/// Why the lab stopped a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The time of the case was up.
    TimeUp,
    /// It had sent more requests than a case allows.
    Flood,
    /// It had printed the right result, and neither ended nor sent anything more.
    Lingered,
}
