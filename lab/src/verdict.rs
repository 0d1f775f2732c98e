//! The verdict: expectations held against what a run left behind. Pure.

use std::{ops::RangeInclusive, time::Duration};

use client::telemetry::ATTEMPTS;
use serde::Serialize;
use server::LedgerSnapshot;

use crate::{
    counters::Counters,
    outcome::{Ending, Fact, Outcome},
    player::Client,
    render::duration,
    trace::{Trace, field},
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
    WaitedAsAsked(Vec<RangeInclusive<Duration>>),
    Counter(&'static str, u64),
    CountsAgree { unseen: u64 },
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
            0 => "the service saw no request".to_owned(),
            1 => "the service saw exactly 1 request".to_owned(),
            _ => format!("the service saw exactly {number} requests"),
        };
        Self::new(text, Rule::Requests(number))
    }

    /// The service creates this many jobs.
    pub(crate) fn created(number: u64, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Created(number))
    }

    /// The waits that the service asked for, in order, each within its range.
    pub(crate) fn waited_as_asked(waits: &[RangeInclusive<Duration>]) -> Self {
        let text = match waits {
            [] => "no length of a wait came from the service".to_owned(),
            waits => {
                let lengths: Vec<_> = waits.iter().map(|wait| duration(*wait.end())).collect();
                format!("the client waited as asked: {}", lengths.join(", "))
            }
        };
        Self::new(text, Rule::WaitedAsAsked(waits.to_vec()))
    }

    /// A counter rises by this much, all its labels together.
    pub(crate) fn counter(name: &'static str, by: u64, text: impl Into<String>) -> Self {
        Self::new(text, Rule::Counter(name, by))
    }

    /// What every run should show; `unseen` requests were meant never to reach
    /// the service.
    pub(crate) fn of_every_run(unseen: u64) -> [Self; 2] {
        let counts = match unseen {
            0 => "the wire and the client agree on the number of requests".to_owned(),
            1 => "the wire and the client agree: 1 attempt never reached the service".to_owned(),
            _ => format!(
                "the wire and the client agree: {unseen} attempts never reached the service"
            ),
        };
        [
            Self::new(counts, Rule::CountsAgree { unseen }),
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
    /// Which client played: each counts in series of its own.
    pub client: Client,
    /// How it ended for the client.
    pub outcome: &'a Outcome,
    /// What the wire saw.
    pub ledger: &'a LedgerSnapshot,
    /// What was counted.
    pub counters: &'a Counters,
    /// What happened, as spans.
    pub traces: &'a [Trace],
}

impl<'a> Evidence<'a> {
    /// How many requests came before a Retry-After allowed them.
    pub(crate) fn early(self) -> u64 {
        self.ledger.routes.values().map(|route| route.early).sum()
    }

    /// How many jobs the service created.
    pub(crate) fn created(self) -> u64 {
        self.counters
            .labelled("service_jobs_total", "result", "created")
    }

    /// The waits whose length came from a `Retry-After`, in the order they
    /// began.
    pub(crate) fn waits_asked_for(self) -> impl Iterator<Item = Duration> + use<'a> {
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
            client,
            outcome,
            ledger,
            counters,
            ..
        } = evidence;
        let counted = counters.total(&client.counter(ATTEMPTS.name));
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
                let held = waits.len() == expected.len()
                    && waits
                        .iter()
                        .zip(expected)
                        .all(|(wait, range)| range.contains(wait));
                (!held).then(|| format!("it waited {waits:?}"))
            }
            Self::Counter(name, by) => {
                let name = client.counter(name);
                let risen = counters.total(&name);
                (risen != *by).then(|| format!("{name} rose by {risen}"))
            }
            Self::CountsAgree { unseen } => (counted != ledger.total + unseen).then(|| {
                format!(
                    "the service saw {}, the client counted {counted}",
                    ledger.total
                )
            }),
            Self::NeverEarly => {
                let early = evidence.early();
                (early > 0).then(|| format!("{early} came too early"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(expectation: Expectation, outcome: &Outcome, ledger: &LedgerSnapshot) -> Check {
        let evidence = Evidence {
            client: Client::Reliable,
            outcome,
            ledger,
            counters: &Counters::default(),
            traces: &[],
        };
        let mut checks = judge(vec![expectation], evidence);
        checks.pop().expect("one expectation makes one check")
    }

    /// Every rule is held against evidence that contradicts it: a verdict that
    /// cannot be negative is none.
    #[test]
    fn every_rule_can_fail_and_says_what_was_found() {
        let outcome = Outcome::ok("ok").with("items", 2_u64);
        let mut ledger = LedgerSnapshot {
            total: 2,
            ..LedgerSnapshot::default()
        };
        let early = server::RouteTotals {
            early: 1,
            ..server::RouteTotals::default()
        };
        ledger.routes.insert("/flaky".to_owned(), early);
        let [agree, never_early] = Expectation::of_every_run(0);
        for (expectation, instead) in [
            (
                Expectation::ending(Ending::HttpError, "it fails"),
                "it ended with: ok",
            ),
            (Expectation::fact("items", 3_u64, "three"), "items is 2"),
            (
                Expectation::fact("status", 200_u64, "200"),
                "the outcome has no status",
            ),
            (Expectation::requests(1), "it saw 2"),
            (Expectation::created(1, "one job"), "it created 0"),
            (
                Expectation::waited_as_asked(&[Duration::ZERO..=Duration::from_secs(2)]),
                "it waited []",
            ),
            (
                Expectation::counter("client_retries_total", 1, "one retry"),
                "client_retries_total rose by 0",
            ),
            (agree, "the service saw 2, the client counted 0"),
            (never_early, "1 came too early"),
        ] {
            let check = found(expectation, &outcome, &ledger);

            assert!(!check.held, "{}", check.text);
            assert_eq!(check.found.as_deref(), Some(instead));
        }
    }

    #[test]
    fn what_holds_has_nothing_else_to_show() {
        let outcome = Outcome::ok("ok").with("items", 3_u64);

        let check = found(
            Expectation::fact("items", 3_u64, "three items"),
            &outcome,
            &LedgerSnapshot::default(),
        );

        assert_eq!((check.held, check.found), (true, None));
    }
}
