//! The claim of an expectation, and how evidence contradicts it.

use std::time::Duration;

use super::{Evidence, Source};
use crate::{
    counters::{ATTEMPTS, RETRIES},
    duration::duration,
    outcome::{Ending, Fact},
    stop_reason::StopReason,
    ties::Ties,
    wire::{RetryAfter, RetryAfterForm},
};

/// The kind of failure of an attempt without a response in time.
pub(super) const READ_TIMEOUT: &str = "read_timeout";

/// A claim about a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Claim {
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

impl Claim {
    /// The evidence that decides it.
    pub(super) fn source(&self) -> Source {
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

    /// The text to show in place of the expectation's, if the alternative held.
    pub(super) fn instead(&self, evidence: Evidence<'_>) -> Option<String> {
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

    /// What was found instead of the claim; none if it held.
    pub(super) fn contradiction(&self, evidence: Evidence<'_>) -> Option<String> {
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
                None if *name == "gave_up" => {
                    Some("the outcome does not say why the client gave up".to_owned())
                }
                None => Some(format!("the outcome has no {name}")),
            },
            Self::Requests(number) => {
                (wire.total != *number).then(|| format!("it saw {}", wire.total))
            }
            Self::Created(number) => {
                let created = wire.jobs_created();
                (created != *number).then(|| format!("it created {created}"))
            }
            Self::WaitedAsAsked(expected) => waited_otherwise(evidence, |waits| waits == expected),
            Self::WaitedUntilDate { longest } => {
                let until = |waits: &[Duration]| matches!(waits, [wait] if wait <= longest);
                waited_otherwise(evidence, until)
            }
            Self::WithinBudget(budget) => {
                // A date that was read late may fit after all, and the wire does not show
                // when it was read.
                let ties = Ties::of(wire);
                let waits = ties.waits().iter().map(|it| it.retry_after);
                let seconds = waits.filter(|it| it.form == RetryAfterForm::Seconds);
                let waits: Vec<_> = seconds.map(RetryAfter::wait).collect();
                let last = wire.entries.last().and_then(|last| last.retry_after);
                let asked = last.filter(|it| it.is_usable()).map(RetryAfter::wait);
                if waits.iter().any(|wait| wait > budget) {
                    Some(format!("it waited {}", lengths(&waits)))
                } else if outcome.fact("gave_up") == Some(&StopReason::RetryAfterOverBudget.into())
                    && asked.is_none_or(|asked| asked <= *budget)
                {
                    let asked = duration(asked.unwrap_or_default());
                    Some(format!("it gave up, although asked to wait only {asked}"))
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
                (risen != *by).then(|| match risen {
                    _ if name != client.counter(ATTEMPTS) => format!("{name} rose by {risen}"),
                    1 => "it made 1 attempt".to_owned(),
                    _ => format!("it made {risen} attempts"),
                })
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
                let early = Ties::of(wire).early();
                (early > 0).then(|| format!("{early} came too early"))
            }
        }
    }
}

/// The waits that the wire shows, unless they are as expected.
fn waited_otherwise(evidence: Evidence<'_>, held: impl Fn(&[Duration]) -> bool) -> Option<String> {
    evidence.cut_short().or_else(|| {
        let waits: Vec<_> = evidence.waits_asked_for().collect();
        (!held(&waits)).then(|| format!("it waited {}", lengths(&waits)))
    })
}

fn lengths(waits: &[Duration]) -> String {
    match waits {
        [] => "for no Retry-After".to_owned(),
        waits => waits
            .iter()
            .map(|wait| duration(*wait))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The text of the claim that both sides counted the same number of requests, except this
/// many that never reached the service.
pub(super) fn counts_agree(unseen: u64) -> String {
    match unseen {
        0 => "the wire and the client agree on the number of requests".to_owned(),
        1 => "the client counted 1 attempt more than the service saw".to_owned(),
        _ => format!("the client counted {unseen} attempts more than the service saw"),
    }
}
