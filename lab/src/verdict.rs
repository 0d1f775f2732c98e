//! The verdict: expectations held against what a run left behind. Pure.

use serde::Serialize;
use server::LedgerSnapshot;

use crate::{
    counters::Counters,
    outcome::{Ending, Fact, Outcome},
};

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
    CountsAgree,
    NeverEarly,
}

impl Expectation {
    /// The run ends this way.
    pub(crate) fn ending(ending: Ending, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Ending(ending))
    }

    /// The outcome has this detail.
    pub(crate) fn fact(name: &'static str, fact: impl Into<Fact>, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Fact(name, fact.into()))
    }

    /// The service sees this many requests.
    pub(crate) fn requests(number: u64) -> Self {
        let text = match number {
            1 => "the service saw exactly 1 request".to_owned(),
            _ => format!("the service saw exactly {number} requests"),
        };
        Self::new(text, Rule::Requests(number))
    }

    /// The service creates this many jobs.
    pub(crate) fn created(number: u64, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Created(number))
    }

    /// What every run should show.
    pub(crate) fn of_every_run() -> [Self; 2] {
        [
            Self::new(
                "the wire and the client agree on the number of requests",
                Rule::CountsAgree,
            ),
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// How it ended for the client.
    pub outcome: &'a Outcome,
    /// What the wire saw.
    pub ledger: &'a LedgerSnapshot,
    /// What was counted.
    pub counters: &'a Counters,
}

/// Holds expectations against evidence, in their order.
#[must_use]
pub fn judge(expectations: Vec<Expectation>, evidence: Evidence<'_>) -> Vec<Check> {
    let check = |expectation: Expectation| {
        let found = expectation.rule.contradiction(evidence);
        Check {
            text: expectation.text,
            held: found.is_none(),
            found,
        }
    };
    expectations.into_iter().map(check).collect()
}

impl Rule {
    /// What was found in place of what the rule asks for.
    fn contradiction(&self, evidence: Evidence<'_>) -> Option<String> {
        let Evidence {
            outcome,
            ledger,
            counters,
        } = evidence;
        let counted = counters.total("client_attempts_total");
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
                let created = counters.iter().filter(|counter| {
                    counter.name == "service_jobs_total"
                        && counter
                            .labels
                            .get("result")
                            .is_some_and(|result| result == "created")
                });
                let created: u64 = created.map(|counter| counter.value).sum();
                (created != *number).then(|| format!("it created {created}"))
            }
            Self::CountsAgree => (counted != ledger.total).then(|| {
                format!(
                    "the service saw {}, the client counted {counted}",
                    ledger.total
                )
            }),
            Self::NeverEarly => {
                let early: u64 = ledger.routes.values().map(|route| route.early).sum();
                (early > 0).then(|| format!("{early} came too early"))
            }
        }
    }
}
