//! The lesson of a run: the sentences of its scenario that are true of it.
//!
//! Two clients run a scenario, under many settings, and it can end in several ways. A
//! sentence that is right for one run contradicts another. So each sentence names the
//! runs that it is true of, and the evidence of a run selects the sentences.

use std::collections::HashSet;

use judge::Ties;
use serde::Serialize;

use crate::{
    Client,
    outcome::{Ending, Fact},
    stop_reason::StopReason,
    verdict::Evidence,
};

/// A sentence or two, with the runs that they are true of.
#[derive(Clone, Copy, Debug)]
pub struct Sentence {
    /// The text.
    pub text: &'static str,
    /// The client whose runs it is about. None if it is true of every client and every
    /// ending.
    pub client: Option<Client>,
    /// The conditions that a run of that client must have met.
    pub conditions: &'static [Condition],
}

/// A condition on the evidence of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The run ended this way for the client.
    Ended(Ending),
    /// The client gave this reason for not retrying.
    GaveUp(StopReason),
    /// This was wrong with a response or with a listing.
    Problem(&'static str),
    /// The service saw exactly this many requests.
    Requests(u64),
    /// The service saw at least this many requests.
    RequestsFrom(u64),
    /// The service sent a response of this status.
    Responded(u16),
    /// At least once, the client waited for as long as a Retry-After asked.
    WaitedAsAsked,
    /// A request arrived before a Retry-After allowed it.
    CameEarly,
    /// The service saw this many different idempotency keys.
    IdempotencyKeys(usize),
    /// The service created this many jobs.
    JobsCreated(u64),
}

/// The lesson of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lesson {
    /// Why it matters, and how this run shows it.
    pub why: Vec<&'static str>,
    /// A sentence about the missing defence, if the client is the reference client
    /// without one.
    pub without: Option<String>,
    /// The problem that remains even with a good client.
    pub unsolved: &'static str,
    /// The next command to try, as arguments of `lab`.
    pub next: String,
}

impl Lesson {
    /// Why it matters as one paragraph, with the remark on a missing defence.
    #[must_use]
    pub fn paragraph(&self) -> String {
        let why = self.why.iter().copied();
        let sentences: Vec<_> = why.chain(self.without.as_deref()).collect();
        sentences.join(" ")
    }
}

impl Sentence {
    /// A text that is true of every run.
    #[must_use]
    pub const fn always(text: &'static str) -> Self {
        Self {
            text,
            client: None,
            conditions: &[],
        }
    }

    /// A text that is true of this client's runs under these conditions.
    #[must_use]
    pub const fn of(client: Client, conditions: &'static [Condition], text: &'static str) -> Self {
        Self {
            text,
            client: Some(client),
            conditions,
        }
    }

    /// Whether it is true of the run with this evidence. A cancelled run gets only the
    /// sentences that are always true: with half of its requests it may look like another
    /// run.
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
                let entries = wire.entries.iter();
                let keys: HashSet<_> = entries.filter_map(|entry| entry.idempotency_key).collect();
                keys.len() == number
            }
            Self::JobsCreated(number) => wire.jobs_created() == number,
        }
    }
}

#[cfg(test)]
mod tests {
    use judge::rules::testing::Script;
    use wire::JobResult;

    use super::*;
    use crate::{counters::Counters, outcome::Outcome};
    const CLIENT: Client = Client {
        name: "tested",
        headlines: &[],
        without: None,
    };

    /// Whether a sentence of this condition is true of a job that was asked for twice under
    /// one key, this long after a response that asked for two seconds.
    fn is_true(condition: Condition, waited: u64, outcome: &Outcome) -> bool {
        let refused = Script::new().post(0, 503, 1, Some(7)).retry_after(2);
        let created = refused.post(1_000 * waited, 201, 1, Some(7));
        let wire = created.job(JobResult::Created).record();
        let evidence = Evidence {
            client: CLIENT,
            outcome,
            wire: &wire,
            counters: &Counters::default(),
            rules_apply: true,
        };
        let conditions: &'static [_] = vec![condition].leak();
        Sentence::of(CLIENT, conditions, "").is_true_of(evidence)
    }

    #[test]
    fn a_condition_holds_for_its_evidence_only() {
        use Condition::*;
        let failed = Outcome::ended(Ending::HttpError, "")
            .with("gave_up", StopReason::Deadline)
            .with("problem", "page_limit");
        for (condition, other) in [
            (Ended(Ending::HttpError), Ended(Ending::Ok)),
            (GaveUp(StopReason::Deadline), GaveUp(StopReason::Tls)),
            (Problem("page_limit"), Problem("item_limit")),
            (Requests(2), Requests(1)),
            (RequestsFrom(2), RequestsFrom(3)),
            (Responded(503), Responded(500)),
            (WaitedAsAsked, CameEarly),
            (IdempotencyKeys(1), IdempotencyKeys(2)),
            (JobsCreated(1), JobsCreated(2)),
        ] {
            assert!(is_true(condition, 2, &failed), "{condition:?}");
            assert!(!is_true(other, 2, &failed), "{other:?}");
        }
        assert!(is_true(CameEarly, 1, &failed) && !is_true(WaitedAsAsked, 1, &failed));
        assert!(!is_true(Requests(2), 2, &Outcome::cancelled(2)));
    }
}
