//! One case of a task: the record of the wire, and how the process ended.

use std::time::Duration;

use wire::{LINGER, ProcessRecord, Stopped, WireRecord, duration};

use super::{CardContext, Judgement, card::NONE, result};
use crate::ties::Ties;

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
    /// The facts about the client from the other cases of its card.
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
                let result_at = result::at(process);
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
            Some(process) if result::ends(process) => with_result(),
            Some(_) => Judgement::skipped(),
        }
    }
}
