//! The verdict: expectations held against what a run left behind. Pure.
//!
//! In real time a machine may be as slow as it likes. What is expected there is
//! what slowness cannot break: that nothing came early, and by what kind of
//! failure an attempt ended, but never that something happened in time.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    client::Client,
    counters::{ATTEMPTS, Counters, JOBS, RETRIES},
    duration::duration,
    outcome::{Ending, Fact, Outcome},
    trace::{Trace, field},
    wire::WireRecord,
};

/// The kind of failure of a silence that lasted too long.
const READ_TIMEOUT: &str = "read_timeout";

/// The reason for which a client stops that may not wait for so long.
const OVER_BUDGET: &str = "retry_after_over_budget";

/// Something a scenario should show.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    text: String,
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Ending(Ending),
    Fact(&'static str, Fact),
    Requests(u64),
    Created(u64),
    WaitedAsAsked(Vec<Duration>),
    WaitedUntilDate { longest: Duration },
    WithinBudget(Duration),
    Counter(&'static str, u64),
    RetriedAfter(&'static str),
    Unless(&'static str, &'static str, Box<Self>),
    CountsAgree { unseen: u64 },
    NeverEarly,
}

impl Expectation {
    /// The run ends this way.
    #[must_use]
    pub fn ending(ending: Ending, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Ending(ending))
    }

    /// The outcome has this detail.
    #[must_use]
    pub fn fact(name: &'static str, fact: impl Into<Fact>, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Fact(name, fact.into()))
    }

    /// The service sees this many requests.
    #[must_use]
    pub fn requests(number: u64) -> Self {
        let text = match number {
            0 => "the service saw no request".to_owned(),
            1 => "the service saw exactly 1 request".to_owned(),
            _ => format!("the service saw exactly {number} requests"),
        };
        Self::new(text, Rule::Requests(number))
    }

    /// The service creates this many jobs.
    #[must_use]
    pub fn created(number: u64, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Created(number))
    }

    /// The waits that the service asked for in seconds, in order.
    #[must_use]
    pub fn waited_as_asked(waits: &[Duration]) -> Self {
        let text = match waits {
            [] => "no length of a wait came from the service".to_owned(),
            waits => {
                let lengths: Vec<_> = waits.iter().map(|wait| duration(*wait)).collect();
                format!("the client waited as asked: {}", lengths.join(", "))
            }
        };
        Self::new(text, Rule::WaitedAsAsked(waits.to_vec()))
    }

    /// One wait for a date that lay no further ahead than this when it was named.
    /// How much of it was left when the client read it depends on the machine;
    /// that no request came before it does not.
    #[must_use]
    pub fn waited_until_date(longest: Duration) -> Self {
        let text = "the client waited until the date that the service named";
        Self::new(text, Rule::WaitedUntilDate { longest })
    }

    /// The client waits no longer than this, and where it stops because it would
    /// have to, the service did ask for more.
    #[must_use]
    pub fn within_budget(budget: Duration) -> Self {
        let text = format!(
            "the client waited for no longer than the {} it may, or stopped",
            duration(budget)
        );
        Self::new(text, Rule::WithinBudget(budget))
    }

    /// There were retries, and each followed a failure of this kind.
    #[must_use]
    pub fn retried_after(kind: &'static str, text: impl Into<String>) -> Self {
        Self::new(text, Rule::RetriedAfter(kind))
    }

    /// This expectation, unless the call ended by a failure of this kind, which
    /// a machine under load can bring about at every attempt; then `instead` is
    /// what held.
    #[must_use]
    pub fn unless(self, kind: &'static str, instead: &'static str) -> Self {
        Self::new(self.text, Rule::Unless(kind, instead, Box::new(self.rule)))
    }

    /// A counter rises by this much, all its labels together.
    #[must_use]
    pub fn counter(name: &'static str, by: u64, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Counter(name, by))
    }

    /// What every run should show; `unseen` requests were meant never to reach
    /// the service. Of one that met a timeout nobody can say whether it did.
    #[must_use]
    pub fn of_every_run(unseen: u64) -> [Self; 2] {
        [
            Self::new(counts_agree(unseen), Rule::CountsAgree { unseen }),
            Self::new("no request came earlier than allowed", Rule::NeverEarly),
        ]
    }

    fn new(text: impl Into<String>, rule: Rule) -> Self {
        Self {
            text: text.into(),
            rule,
        }
    }
}

/// An expectation and whether it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was expected.
    pub text: String,
    /// Whether it is so.
    pub held: bool,
    /// What was found instead, if it is not.
    pub found: Option<String>,
}

/// What a verdict is based on.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Which client played: each counts in series of its own.
    pub client: Client,
    /// How it ended for the client.
    pub outcome: &'a Outcome,
    /// What the wire saw.
    pub ledger: &'a WireRecord,
    /// What was counted.
    pub counters: &'a Counters,
    /// What happened, as spans.
    pub traces: &'a [Trace],
}

impl<'a> Evidence<'a> {
    /// How many requests came before a Retry-After allowed them.
    #[must_use]
    pub fn early(self) -> u64 {
        self.ledger.routes.values().map(|route| route.early).sum()
    }

    /// The requests that the client counted.
    fn counted(self) -> u64 {
        self.counters.total(&self.client.counter(ATTEMPTS))
    }

    /// Whether a failure of this kind is what the client had in hand at the end.
    fn ended_by(self, kind: &'static str) -> bool {
        self.outcome.fact("problem") == Some(&kind.into())
    }

    /// How many jobs the service created.
    #[must_use]
    pub fn created(self) -> u64 {
        self.counters.labelled(JOBS, "result", "created")
    }

    /// The waits whose length came from a `Retry-After`, in the order they
    /// began.
    pub fn waits_asked_for(self) -> impl Iterator<Item = Duration> + use<'a> {
        let spans = self.traces.iter().flat_map(|trace| &trace.spans);
        spans
            .filter(|span| span.fields.text(field::WAIT_SOURCE) == Some("retry_after"))
            .filter_map(|span| span.fields.seconds(field::WAIT_SECONDS))
    }
}

/// Holds expectations against evidence, in their order.
#[must_use]
pub fn judge(expectations: Vec<Expectation>, evidence: Evidence<'_>) -> Vec<Check> {
    let check = |expectation: Expectation| {
        let found = expectation.rule.contradiction(evidence);
        let held = found.is_none();
        let instead = expectation.rule.instead(evidence).filter(|_| held);
        Check {
            text: instead.unwrap_or(expectation.text),
            held,
            found,
        }
    };
    expectations.into_iter().map(check).collect()
}

impl Rule {
    /// What held in place of what was expected first.
    fn instead(&self, evidence: Evidence<'_>) -> Option<String> {
        match self {
            Self::Unless(kind, instead, _) if evidence.ended_by(kind) => {
                Some((*instead).to_owned())
            }
            Self::CountsAgree { .. } => {
                let unseen = evidence.counted().saturating_sub(evidence.ledger.total);
                Some(counts_agree(unseen))
            }
            _ => None,
        }
    }

    /// What was found in place of what the rule asks for.
    fn contradiction(&self, evidence: Evidence<'_>) -> Option<String> {
        let Evidence {
            client,
            outcome,
            ledger,
            counters,
            ..
        } = evidence;
        match self {
            Self::Ending(ending) => {
                (outcome.ending != *ending).then(|| format!("it ended with: {}", outcome.ending))
            }
            Self::Fact(name, expected) => match outcome.fact(name) {
                Some(fact) if fact == expected => None,
                Some(fact) => Some(format!("{name} is {fact}")),
                None => Some(format!("the outcome has no {name}")),
            },
            Self::Requests(number) => {
                (ledger.total != *number).then(|| format!("it saw {}", ledger.total))
            }
            Self::Created(number) => {
                let created = evidence.created();
                (created != *number).then(|| format!("it created {created}"))
            }
            Self::WaitedAsAsked(expected) => {
                let waits: Vec<_> = evidence.waits_asked_for().collect();
                (waits != *expected).then(|| format!("it waited {waits:?}"))
            }
            Self::WaitedUntilDate { longest } => {
                let waits: Vec<_> = evidence.waits_asked_for().collect();
                let held = matches!(&waits[..], [wait] if wait <= longest);
                match (held, evidence.early()) {
                    (true, 0) => None,
                    (true, _) => Some("it came before that date".to_owned()),
                    (false, _) => Some(format!("it waited {waits:?}")),
                }
            }
            Self::WithinBudget(budget) => {
                let waits: Vec<_> = evidence.waits_asked_for().collect();
                let last = ledger.entries.last();
                let asked = last.and_then(|entry| entry.retry_after_seconds);
                if waits.iter().any(|wait| wait > budget) {
                    Some(format!("it waited {waits:?}"))
                } else if outcome.fact("gave_up") == Some(&OVER_BUDGET.into())
                    && asked.is_none_or(|asked| Duration::from_secs(asked) <= *budget)
                {
                    let asked = asked.unwrap_or_default();
                    Some(format!("it stopped, and was asked to wait {asked} s"))
                } else {
                    None
                }
            }
            Self::RetriedAfter(kind) => {
                let name = client.counter(RETRIES);
                let retries = counters.total(&name);
                let after = counters.labelled(&name, "reason", kind);
                (retries == 0 || after != retries)
                    .then(|| format!("{after} of {retries} retries followed one"))
            }
            Self::Unless(kind, _, rule) => match evidence.ended_by(kind) {
                true => None,
                false => rule.contradiction(evidence),
            },
            Self::Counter(name, by) => {
                let name = client.counter(name);
                let risen = counters.total(&name);
                (risen != *by).then(|| format!("{name} rose by {risen}"))
            }
            Self::CountsAgree { unseen } => {
                let attempts = client.counter(ATTEMPTS);
                let met_a_timeout = counters.labelled(&attempts, "result", READ_TIMEOUT);
                let most = met_a_timeout.max(*unseen);
                let (seen, counted) = (ledger.total, evidence.counted());
                let held = (seen + unseen..=seen + most).contains(&counted);
                (!held).then(|| format!("the service saw {seen}, the client counted {counted}"))
            }
            Self::NeverEarly => {
                let early = evidence.early();
                (early > 0).then(|| format!("{early} came too early"))
            }
        }
    }
}

/// That both sides counted alike, but for so many requests that never reached
/// the service.
fn counts_agree(unseen: u64) -> String {
    match unseen {
        0 => "the wire and the client agree on the number of requests".to_owned(),
        1 => "the wire and the client agree: 1 attempt never reached the service".to_owned(),
        _ => format!("the wire and the client agree: {unseen} attempts never reached the service"),
    }
}

#[cfg(test)]
mod tests;
