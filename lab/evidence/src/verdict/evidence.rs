//! What a verdict is based on.

use std::time::Duration;

use crate::{
    client::Client,
    counters::{ATTEMPTS, Counters},
    duration::duration,
    outcome::Outcome,
    ties::Ties,
    wire::WireRecord,
};

/// What a verdict is based on.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Which client run: each counts in series of its own.
    pub client: Client,
    /// How it ended for the client.
    pub outcome: &'a Outcome,
    /// What the wire saw.
    pub wire: &'a WireRecord,
    /// What was counted.
    pub counters: &'a Counters,
    /// Whether the client was to make one call, or several of which each is told by its
    /// body: of others the wire cannot tell a new call from a retry, so no rule is held
    /// to them.
    pub rules_apply: bool,
}

impl<'a> Evidence<'a> {
    /// The requests that the client counted.
    pub(crate) fn counted(self) -> u64 {
        self.counters.total(&self.client.counter(ATTEMPTS))
    }

    /// Whether a failure of this kind is what the client had in hand at the end.
    pub(super) fn ended_by(self, kind: &'static str) -> bool {
        self.outcome.fact("problem") == Some(&kind.into())
    }

    /// The waits that a `Retry-After` asked for and the client kept, as the wire saw
    /// them: how long each was asked to be, in order.
    pub fn waits_asked_for(self) -> impl Iterator<Item = Duration> + use<'a> {
        let waits = Ties::of(self.wire).waits().to_vec().into_iter();
        let kept = waits.filter(|it| it.retry_after.is_usable() && it.early_by().is_zero());
        kept.map(|it| it.retry_after.wait())
    }

    /// What the wire saw of a wait that was cut short, in words.
    pub(super) fn cut_short(self) -> Option<String> {
        let ties = Ties::of(self.wire);
        let early = ties.waits().iter().find(|it| !it.early_by().is_zero())?;
        let (asked, waited) = (early.retry_after.wait(), early.waited);
        Some(format!(
            "asked for {}, it came back after {}",
            duration(asked),
            duration(waited)
        ))
    }
}
