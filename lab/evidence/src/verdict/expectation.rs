//! The expectations of a scenario.

use std::time::Duration;

use super::claim::{Claim, counts_agree};
use crate::{
    duration::duration,
    outcome::{Ending, Fact},
    stop_reason::StopReason,
};

/// An expectation: a claim and its text.
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

    /// The client gives up for this reason.
    #[must_use]
    pub fn gave_up(why: StopReason, text: impl Into<String>) -> Self {
        Self::fact("gave_up", why, text)
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
            [] => "the service did not set the length of any wait".to_owned(),
            waits => {
                let lengths: Vec<_> = waits.iter().map(|wait| duration(*wait)).collect();
                format!("the client waited as asked: {}", lengths.join(", "))
            }
        };
        Self::new(text, Claim::WaitedAsAsked(waits.to_vec()))
    }

    /// One wait for a date, at most this far ahead when the service named it. The time left
    /// when the client reads it depends on the machine; that no request arrives before it
    /// does not.
    #[must_use]
    pub fn waited_until_date(longest: Duration) -> Self {
        let text = "the client waited until the date that the service named";
        Self::new(text, Claim::WaitedUntilDate { longest })
    }

    /// The client waits at most this long. If it gives up because a longer wait was asked
    /// for, the service did ask for a longer one.
    #[must_use]
    pub fn within_budget(budget: Duration) -> Self {
        let text = format!(
            "the client waited for no longer than its budget of {}, or gave up",
            duration(budget)
        );
        Self::new(text, Claim::WithinBudget(budget))
    }

    /// There were retries, and each of them followed a failure of this kind.
    #[must_use]
    pub fn retried_after(kind: &'static str, text: impl Into<String>) -> Self {
        Self::new(text, Claim::RetriedAfter(kind))
    }

    /// This expectation, unless the call ended with a failure of this kind, which a busy
    /// machine can cause at every attempt; then the text is `instead`.
    #[must_use]
    pub fn unless(self, kind: &'static str, instead: &'static str) -> Self {
        Self::new(
            self.text,
            Claim::Unless(kind, instead, Box::new(self.claim)),
        )
    }

    /// A counter rises by this much, summed over its labels.
    #[must_use]
    pub fn counter(name: &'static str, by: u64, text: impl Into<String>) -> Self {
        Self::new(text, Claim::Counter(name, by))
    }

    /// The expectations of every run. `unseen` requests are meant not to reach the service. A
    /// request that timed out may or may not have reached it.
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
