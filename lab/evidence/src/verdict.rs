//! The verdict: expectations and rules, held against what a run left behind. Pure.
//!
//! What the wire can show is judged from the [record of the wire](crate::wire) alone:
//! requests, jobs, and waits from the arrivals. What only the client can say, its
//! outcome and its counters, is judged apart and marked as its word.
//!
//! In real time a machine may be as slow as it likes. What is expected there is
//! what slowness cannot break: that nothing came early, and by what kind of
//! failure an attempt ended, but never that something happened in time.

use std::{fmt, time::Duration};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    client::Client,
    counters::{ATTEMPTS, Counters, RETRIES},
    duration::duration,
    outcome::{Ending, Fact, Outcome},
    rules::{Play, RULES, Rule, Verdict},
    wire::{RetryAfter, RetryAfterForm, WireRecord},
};

/// The kind of failure of a silence that lasted too long.
const READ_TIMEOUT: &str = "read_timeout";

/// The reason for which a client stops that may not wait for so long.
const OVER_BUDGET: &str = "retry_after_over_budget";

/// Something a scenario should show.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    text: String,
    claim: Claim,
}

#[derive(Clone, Debug, PartialEq)]
enum Claim {
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
            [] => "no length of a wait came from the service".to_owned(),
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

/// An expectation or a rule, and whether it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Where it comes from.
    pub source: Source,
    /// The id of the [rule](crate::rules); none of what this scenario alone expects.
    pub rule: Option<&'static str>,
    /// What was expected.
    pub text: String,
    /// Whether it is so.
    pub held: bool,
    /// What was found instead, if it is not.
    pub found: Option<String>,
}

/// Where a check comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// What the wire saw: nothing that a client says of itself.
    Wire,
    /// The client's own word: its outcome and its counters.
    Client,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wire => "wire",
            Self::Client => "client",
        })
    }
}

/// What a verdict is based on.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Which client played: each counts in series of its own.
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
    /// How many requests came before a Retry-After allowed them.
    #[must_use]
    pub fn early(self) -> u64 {
        self.wire.early()
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
        self.wire.jobs_created()
    }

    /// The waits that a `Retry-After` asked for and the client kept, as the wire saw
    /// them: how long each was asked to be, in order.
    pub fn waits_asked_for(self) -> impl Iterator<Item = Duration> + use<'a> {
        let waits = self.wire.waits();
        let kept = waits.filter(|it| it.retry_after.is_usable() && it.early_by().is_zero());
        kept.map(|it| it.retry_after.wait())
    }

    /// What the wire saw of a wait that was cut short, in words.
    fn cut_short(self) -> Option<String> {
        let early = self.wire.waits().find(|it| !it.early_by().is_zero())?;
        let (asked, waited) = (early.retry_after.wait(), early.waited);
        Some(format!(
            "asked for {}, it came back after {}",
            duration(asked),
            duration(waited)
        ))
    }
}

/// Holds expectations against evidence, in their order, and then the rules of the wire.
#[must_use]
pub fn judge(expectations: Vec<Expectation>, evidence: Evidence<'_>) -> Vec<Check> {
    let check = |expectation: Expectation| {
        let found = expectation.claim.contradiction(evidence);
        let held = found.is_none();
        let instead = expectation.claim.instead(evidence).filter(|_| held);
        Check {
            source: expectation.claim.source(),
            rule: None,
            text: instead.unwrap_or(expectation.text),
            held,
            found,
        }
    };
    let rules = RULES.iter().filter(|_| evidence.rules_apply);
    let rules = rules.filter_map(|rule| ruled(rule, evidence.wire));
    expectations.into_iter().map(check).chain(rules).collect()
}

/// Whether a rule was kept or broken; nothing of one that says neither.
fn ruled(rule: &Rule, wire: &WireRecord) -> Option<Check> {
    let judgement = (rule.judge)(&[Play::of(wire)]);
    let held = match judgement.verdict {
        Verdict::Kept => true,
        Verdict::Broken => false,
        Verdict::Skipped | Verdict::NotExercised | Verdict::CannotTell => return None,
    };
    Some(Check {
        source: Source::Wire,
        rule: Some(rule.id),
        text: rule.text.to_owned(),
        held,
        found: judgement.found.filter(|_| !held),
    })
}

impl Claim {
    /// Whether the wire shows it, or the client has to be believed.
    fn source(&self) -> Source {
        match self {
            Self::Requests(_)
            | Self::Created(_)
            | Self::WaitedAsAsked(_)
            | Self::WaitedUntilDate { .. }
            | Self::NeverEarly => Source::Wire,
            Self::Ending(_)
            | Self::Fact(..)
            | Self::WithinBudget(_)
            | Self::Counter(..)
            | Self::RetriedAfter(_)
            | Self::Unless(..)
            | Self::CountsAgree { .. } => Source::Client,
        }
    }

    /// What held in place of what was expected first.
    fn instead(&self, evidence: Evidence<'_>) -> Option<String> {
        match self {
            Self::Unless(kind, instead, _) if evidence.ended_by(kind) => {
                Some((*instead).to_owned())
            }
            Self::CountsAgree { .. } => {
                let unseen = evidence.counted().saturating_sub(evidence.wire.total);
                Some(counts_agree(unseen))
            }
            _ => None,
        }
    }

    /// What was found in place of what is claimed.
    fn contradiction(&self, evidence: Evidence<'_>) -> Option<String> {
        let Evidence {
            client,
            outcome,
            wire,
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
                (wire.total != *number).then(|| format!("it saw {}", wire.total))
            }
            Self::Created(number) => {
                let created = evidence.created();
                (created != *number).then(|| format!("it created {created}"))
            }
            Self::WaitedAsAsked(expected) => evidence.cut_short().or_else(|| {
                let waits: Vec<_> = evidence.waits_asked_for().collect();
                (waits != *expected).then(|| format!("it waited {}", lengths(&waits)))
            }),
            Self::WaitedUntilDate { longest } => evidence.cut_short().or_else(|| {
                let waits: Vec<_> = evidence.waits_asked_for().collect();
                let held = matches!(&waits[..], [wait] if wait <= longest);
                (!held).then(|| format!("it waited {}", lengths(&waits)))
            }),
            Self::WithinBudget(budget) => {
                // A date that was read late may fit after all, and the wire does not show
                // when it was read.
                let waits = wire.waits().map(|it| it.retry_after);
                let seconds = waits.filter(|it| it.form == RetryAfterForm::Seconds);
                let waits: Vec<_> = seconds.map(RetryAfter::wait).collect();
                let last = wire.entries.last().and_then(|last| last.retry_after);
                let asked = last.filter(|it| it.is_usable()).map(RetryAfter::wait);
                if waits.iter().any(|wait| wait > budget) {
                    Some(format!("it waited {}", lengths(&waits)))
                } else if outcome.fact("gave_up") == Some(&OVER_BUDGET.into())
                    && asked.is_none_or(|asked| asked <= *budget)
                {
                    let asked = duration(asked.unwrap_or_default());
                    Some(format!("it stopped, and was asked to wait {asked}"))
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
            Self::Unless(kind, _, claim) => match evidence.ended_by(kind) {
                true => None,
                false => claim.contradiction(evidence),
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
                let (seen, counted) = (wire.total, evidence.counted());
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

fn lengths(waits: &[Duration]) -> String {
    match waits {
        [] => "for nothing that the service named".to_owned(),
        waits => waits
            .iter()
            .map(|wait| duration(*wait))
            .collect::<Vec<_>>()
            .join(", "),
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
