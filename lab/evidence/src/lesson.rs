//! What a run teaches: of all that its scenario has to say, what is true of it.
//!
//! Two clients run a scenario, under many settings, and it ends in more than
//! one way. A sentence that is right of one run contradicts another. So each
//! names the runs that it is true of, and what is shown is chosen by what the
//! run left behind.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    client::Client,
    outcome::{Ending, Fact},
    stop_reason::StopReason,
    ties::Ties,
    verdict::Evidence,
};

/// A sentence or two, and the runs that they are true of.
#[derive(Clone, Copy, Debug)]
pub struct Sentence {
    /// What is said.
    pub text: &'static str,
    /// Whose runs it speaks of. None if it speaks of no run at all, but of what
    /// is so whoever runs and however it ends.
    pub client: Option<Client>,
    /// What a run of that client has to have shown, all of it.
    pub conditions: &'static [Condition],
}

/// Something that a run has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It ended this way for the client.
    Ended(Ending),
    /// The client named this reason for not trying again.
    GaveUp(StopReason),
    /// This was wrong with a response or with a listing.
    Problem(&'static str),
    /// The service saw exactly so many requests.
    Requests(u64),
    /// The service saw so many requests or more.
    RequestsFrom(u64),
    /// The service sent a response of this status.
    Responded(u16),
    /// The client waited for as long as a Retry-After asked for, at least once.
    WaitedAsAsked,
    /// A request came before a Retry-After allowed it.
    CameEarly,
    /// The service saw so many different idempotency keys.
    IdempotencyKeys(usize),
    /// The service created so many jobs.
    JobsCreated(u64),
}

/// What one run teaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lesson {
    /// Why it matters, and how this run shows it.
    pub why: Vec<&'static str>,
    /// What is to be said of the defence that the client is without, if it is the
    /// reference client but for that.
    pub without: Option<String>,
    /// What is still unsolved with a client that does well.
    pub unsolved: &'static str,
    /// What to try next: arguments of `lab`.
    pub next: String,
}

impl Sentence {
    /// What is so whoever runs.
    #[must_use]
    pub const fn always(text: &'static str) -> Self {
        Self {
            text,
            client: None,
            conditions: &[],
        }
    }

    /// What is so where this client run and this was shown.
    #[must_use]
    pub const fn of(client: Client, conditions: &'static [Condition], text: &'static str) -> Self {
        Self {
            text,
            client: Some(client),
            conditions,
        }
    }

    /// Whether it is true of the run that left this behind. Of one that was
    /// cancelled nothing is but what is always so: with half of its requests it
    /// may look like another.
    #[must_use]
    pub fn is_true_of(&self, evidence: Evidence<'_>) -> bool {
        let mut conditions = self.conditions.iter();
        let whole = evidence.outcome.ending != Ending::Cancelled;
        self.client
            .is_none_or(|client| whole && client == evidence.client)
            && conditions.all(|condition| condition.holds(evidence))
    }
}

impl Condition {
    fn holds(self, evidence: Evidence<'_>) -> bool {
        let Evidence { outcome, wire, .. } = evidence;
        match self {
            Self::Ended(ending) => outcome.ending == ending,
            Self::GaveUp(why) => outcome.fact("gave_up") == Some(&why.into()),
            Self::Problem(problem) => outcome.fact("problem") == Some(&Fact::from(problem)),
            Self::Requests(number) => wire.total == number,
            Self::RequestsFrom(least) => wire.total >= least,
            Self::Responded(status) => {
                let mut statuses = wire.entries.iter().map(|entry| entry.status);
                statuses.any(|sent| sent == Some(status))
            }
            Self::WaitedAsAsked => {
                let mut waits = evidence.waits_asked_for();
                waits.any(|wait| !wait.is_zero())
            }
            Self::CameEarly => Ties::of(wire).early() > 0,
            Self::IdempotencyKeys(number) => {
                let keys = wire
                    .entries
                    .iter()
                    .filter_map(|entry| entry.idempotency_key);
                keys.collect::<HashSet<_>>().len() == number
            }
            Self::JobsCreated(number) => wire.jobs_created() == number,
        }
    }
}
