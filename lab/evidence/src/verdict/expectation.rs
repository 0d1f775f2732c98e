//! What a scenario should show, made by whoever writes it.

use std::time::Duration;

use super::claim::{Claim, counts_agree};
use crate::{
    duration::duration,
    outcome::{Ending, Fact},
};

/// Something a scenario should show.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub(super) text: String,
    pub(super) claim: Claim,
}

impl Expectation {
    /// The run ends this way.
    #[must_use]
    pub fn ending(ending: Ending, text: impl Into<String>) -> Self {
        Self::new(text, Claim::Ending(ending))
    }

    /// The outcome has this detail.
    #[must_use]
    pub fn fact(name: &'static str, fact: impl Into<Fact>, text: impl Into<String>) -> Self {
        Self::new(text, Claim::Fact(name, fact.into()))
    }

    /// The service sees this many requests.
    #[must_use]
    pub fn requests(number: u64) -> Self {
        let text = match number {
            0 => "the service saw no request".to_owned(),
            1 => "the service saw exactly 1 request".to_owned(),
            _ => format!("the service saw exactly {number} requests"),
        };
        Self::new(text, Claim::Requests(number))
    }

    /// The service creates this many jobs.
    #[must_use]
    pub fn created(number: u64, text: impl Into<String>) -> Self {
        Self::new(text, Claim::Created(number))
    }

    /// The waits that the service asked for in seconds, in order.
    #[must_use]
    pub fn waited_as_asked(waits: &[Duration]) -> Self {
        let text = match waits {
            [] => "the service set the length of no wait".to_owned(),
            waits => {
                let lengths: Vec<_> = waits.iter().map(|wait| duration(*wait)).collect();
                format!("the client waited as asked: {}", lengths.join(", "))
            }
        };
        Self::new(text, Claim::WaitedAsAsked(waits.to_vec()))
    }

    /// One wait for a date that lay no further ahead than this when it was named.
    /// How much of it was left when the client read it depends on the machine;
    /// that no request came before it does not.
    #[must_use]
    pub fn waited_until_date(longest: Duration) -> Self {
        let text = "the client waited until the date that the service named";
        Self::new(text, Claim::WaitedUntilDate { longest })
    }

    /// The client waits no longer than this, and where it stops because it would
    /// have to, the service did ask for more.
    #[must_use]
    pub fn within_budget(budget: Duration) -> Self {
        let text = format!(
            "the client waited for no longer than the {} it may, or stopped",
            duration(budget)
        );
        Self::new(text, Claim::WithinBudget(budget))
    }

    /// There were retries, and each followed a failure of this kind.
    #[must_use]
    pub fn retried_after(kind: &'static str, text: impl Into<String>) -> Self {
        Self::new(text, Claim::RetriedAfter(kind))
    }

    /// This expectation, unless the call ended by a failure of this kind, which
    /// a machine under load can bring about at every attempt; then `instead` is
    /// what held.
    #[must_use]
    pub fn unless(self, kind: &'static str, instead: &'static str) -> Self {
        Self::new(
            self.text,
            Claim::Unless(kind, instead, Box::new(self.claim)),
        )
    }

    /// A counter rises by this much, all its labels together.
    #[must_use]
    pub fn counter(name: &'static str, by: u64, text: impl Into<String>) -> Self {
        Self::new(text, Claim::Counter(name, by))
    }

    /// What every run should show; `unseen` requests were meant never to reach
    /// the service. Of one that met a timeout nobody can say whether it did.
    #[must_use]
    pub fn of_every_run(unseen: u64) -> [Self; 2] {
        [
            Self::new(counts_agree(unseen), Claim::CountsAgree { unseen }),
            Self::new("no request came earlier than allowed", Claim::NeverEarly),
        ]
    }

    fn new(text: impl Into<String>, claim: Claim) -> Self {
        Self {
            text: text.into(),
            claim,
        }
    }
}
