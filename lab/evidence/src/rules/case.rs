//! One case of a task: the record of the wire, and how the process ended.

use std::time::Duration;

use serde::Serialize;
use wire::duration;

use super::{CardContext, Judgement, context::NONE};
use crate::{nanoseconds, ties::Ties, wire::WireRecord};

/// How long a process may go on after its result until a remark says so. A process that has
/// printed the right result, and for this long neither printed nor sent more, has nothing
/// left to show, except where a rule forbids a request that may come later: a thread pool
/// or an open connection keeps it alive.
pub const LINGER: Duration = Duration::from_secs(1);

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

    /// Whether the lab stopped the client's process before it had a result, or while it was
    /// still sending requests, so that its next actions are unknown.
    pub(super) fn was_stopped(&self) -> bool {
        let Some(process) = self.process else {
            return false;
        };
        match process.stopped {
            None | Some(Stopped::Lingered) => false,
            Some(Stopped::Flood) => true,
            Some(Stopped::TimeUp) => {
                let result_at = process.result_at();
                result_at
                    .is_none_or(|at| process.ended < at + LINGER || self.requests_after(at) > 0)
            }
        }
    }

    /// The number of requests that arrived after this moment.
    pub(super) fn requests_after(&self, moment: Duration) -> usize {
        let requests = self.wire.entries.iter();
        requests.filter(|request| request.arrived > moment).count()
    }

    /// For how long the lab watched a client that had its result and went on; none if its
    /// processes ended.
    pub(super) fn watched(&self) -> Option<String> {
        let process = self.process.filter(|process| process.left_running)?;
        let last = self.wire.entries.last()?.arrived;
        let watched = duration(process.watched_until.saturating_sub(last));
        Some(format!(
            "nothing more came for {watched}, and the program was still running when the case ended"
        ))
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
    /// Until when the lab watched for requests of it and of what it had started.
    #[serde(rename = "watched_until_ns", with = "nanoseconds")]
    pub watched_until: Duration,
    /// Whether it or something that it had started was still running then, and the lab
    /// ended it.
    pub left_running: bool,
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
