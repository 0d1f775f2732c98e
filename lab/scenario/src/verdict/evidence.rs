//! The evidence that a verdict is based on.

use std::time::Duration;

use judge::Ties;
use wire::{WireRecord, duration};

use crate::{
    counters::{ATTEMPTS, Counters},
    outcome::Outcome,
};

/// The evidence that a verdict is based on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// How it ended for the client.
    pub(crate) outcome: &'a Outcome,
    /// The record of the wire.
    pub(crate) wire: &'a WireRecord,
    /// The counters.
    pub(crate) counters: &'a Counters,
    /// Whether its requests are [one call](crate::Task::is_one_call). In other runs the wire
    /// cannot tell a new call from a retry, so no rule is checked.
    pub(crate) is_one_call: bool,
}

impl<'a> Evidence<'a> {
    /// The number of requests by the client's own count.
    pub(crate) fn counted(self) -> u64 {
        self.counters.total(ATTEMPTS)
    }

    /// How many requests got this status.
    pub(crate) fn responded(self, status: u16) -> u64 {
        responded(self.wire, status)
    }

    /// Whether the run ended with a failure of this kind.
    pub(crate) fn ended_by(self, kind: &'static str) -> bool {
        self.outcome.fact("problem") == Some(&kind.into())
    }

    /// The lengths of the waits that a `Retry-After` asked for and the client kept, in
    /// order, as the wire shows them.
    pub(super) fn waits_asked_for(self) -> impl Iterator<Item = Duration> + use<'a> {
        let waits = Ties::of(self.wire).waits().to_vec().into_iter();
        let kept = waits.filter(|wait| wait.retry_after.is_usable() && wait.early_by.is_zero());
        kept.map(|wait| wait.retry_after.wait())
    }

    /// The waits that the client cut short, as text.
    pub(super) fn cut_short(self) -> Option<String> {
        let ties = Ties::of(self.wire);
        let early = ties.waits().iter().find(|wait| !wait.early_by.is_zero())?;
        let (asked, waited) = (early.retry_after.wait(), early.waited);
        Some(format!(
            "asked for {}, retried after {}",
            duration(asked),
            duration(waited)
        ))
    }
}

/// How many requests got this status.
pub(crate) fn responded(wire: &WireRecord, status: u16) -> u64 {
    let entries = wire.entries.iter();
    entries.filter(|entry| entry.status == Some(status)).count() as u64
}
