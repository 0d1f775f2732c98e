//! The parts of a run that every renderer shows: texts, rows and cells, made once.

use std::collections::{BTreeMap, BTreeSet};

use render::Mark;
use serde::Serialize;
use wire::counted;

use render::Table;

use crate::{
    Client,
    chart::Waterfall,
    counters::{ATTEMPTS, Counter, Counters, FAULTS, RETRIES},
    outcome::{Ending, Outcome},
    trace::{Span, SpanName, Trace, field},
    verdict::{Check, Evidence},
    wire_facts::WireFacts,
    wire_table,
};

/// A run as text. During a run, only waterfall and counters are filled.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct View {
    /// How it ended, to complete the sentence "ended with …".
    pub ended: Option<Phrase>,
    /// Its results, in a line of phrases: how it ended, the number of attempts, and how many
    /// expectations held. A call that fails may be the expected result.
    pub result: Vec<Phrase>,
    /// The events of the run, row by row.
    pub waterfall: Waterfall,
    /// The record of the wire.
    pub requests: Table,
    /// The parts of the exchange that the lesson is about, line by line.
    pub facts: WireFacts,
    /// The counters that rose; those that every run of the client shows come first.
    pub counters: Vec<Rise>,
}

/// A short text, and whether it is about a success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Phrase {
    /// Success or failure; null if neither.
    pub mark: Option<Mark>,
    /// The text.
    pub text: String,
}

/// How much a counter rose, summed over its labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rise {
    /// The name of the counter.
    pub name: String,
    /// Whether it is the client's counter; otherwise it is the service's.
    pub own: bool,
    /// How much it rose, as text.
    pub change: String,
    /// The change by reason.
    pub parts: Vec<Part>,
}

/// How much a counter rose for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The values of the labels that name the reason.
    pub kind: String,
    /// How much it rose, as text.
    pub change: String,
}

/// The labels that say where something was counted. The other labels say what was counted.
const WHERE: [&str; 3] = ["endpoint", "method", "route"];

impl View {
    /// The view of a finished run.
    #[must_use]
    pub fn of(evidence: Evidence<'_>, traces: &[Trace], verdict: &[Check]) -> Self {
        let ended = ended(evidence.outcome, verdict.iter().all(|check| check.held));
        Self {
            result: result(&ended, evidence, verdict),
            ended: Some(ended),
            waterfall: Waterfall::of(traces),
            requests: wire_table::of_run(evidence.wire),
            facts: WireFacts::of(evidence.wire),
            counters: rises(evidence.client, evidence.counters),
        }
    }

    /// The view of a run that goes on. Its counters are read at its end, so these are derived
    /// from its spans.
    #[must_use]
    pub fn so_far(client: Client, traces: &[Trace]) -> Self {
        Self {
            waterfall: Waterfall::of(traces),
            counters: rises(client, &so_far(traces)),
            ..Self::default()
        }
    }
}

impl Phrase {
    pub(crate) fn new(mark: impl Into<Option<Mark>>, text: impl Into<String>) -> Self {
        Self {
            mark: mark.into(),
            text: text.into(),
        }
    }
}

/// How much a counter rose, as text.
#[must_use]
pub fn risen(by: u64) -> String {
    match by {
        0 => "0".to_owned(),
        by => format!("+{by}"),
    }
}

/// An error is no failure if it was expected.
fn ended(outcome: &Outcome, is_expected: bool) -> Phrase {
    let mark = match outcome.ending {
        Ending::Ok => Some(Mark::Ok),
        Ending::Cancelled => None,
        _ => (!is_expected).then_some(Mark::Failed),
    };
    Phrase::new(mark, outcome.named())
}

fn result(ended: &Phrase, evidence: Evidence<'_>, verdict: &[Check]) -> Vec<Phrase> {
    if evidence.outcome.ending == Ending::Cancelled {
        return vec![Phrase::new(ended.mark, format!("⊘ {}", ended.text))];
    }
    let held = verdict.iter().filter(|check| check.held).count();
    let (mark_of_all, sign) = if held == verdict.len() {
        (Mark::Ok, "✓")
    } else {
        (Mark::Failed, "✗")
    };
    vec![
        ended_with(ended, evidence.outcome.ending),
        attempts(evidence.counted()),
        Phrase::new(
            mark_of_all,
            format!(
                "{sign} {held} of {} expectations of the lab held",
                verdict.len()
            ),
        ),
    ]
}

/// The phrase for how a run ended.
pub(crate) fn ended_with(ended: &Phrase, ending: Ending) -> Phrase {
    Phrase::new(ended.mark, ending.phrase(&ended.text))
}

/// The phrase for the number of attempts by the client's count.
pub(crate) fn attempts(number: u64) -> Phrase {
    Phrase::new(None, counted(number, "attempt"))
}

fn rises(client: Client, counters: &Counters) -> Vec<Rise> {
    let moved: BTreeSet<_> = counters
        .iter()
        .map(|counter| counter.name.as_str())
        .collect();
    let others = moved
        .into_iter()
        .filter(|name| !client.headlines.contains(name));
    let names = client.headlines.iter().copied().chain(others);
    names
        .map(|name| Rise {
            own: name.starts_with("client_"),
            change: risen(counters.total(name)),
            parts: parts(counters.iter().filter(|counter| counter.name == name)),
            name: name.to_owned(),
        })
        .collect()
}

fn parts<'a>(counters: impl Iterator<Item = &'a Counter>) -> Vec<Part> {
    let mut parts: BTreeMap<String, u64> = BTreeMap::new();
    for counter in counters {
        let labels = counter.labels.iter();
        let kind: Vec<_> = labels
            .filter(|(label, _)| !WHERE.contains(&label.as_str()))
            .map(|(label, value)| match value.as_str() {
                "true" => label.clone(),
                "false" => format!("not {label}"),
                value => value.to_owned(),
            })
            .collect();
        if !kind.is_empty() {
            *parts.entry(kind.join(", ")).or_default() += counter.value;
        }
    }
    let parts = parts.into_iter();
    parts
        .map(|(kind, by)| Part {
            kind,
            change: risen(by),
        })
        .collect()
}

/// The counters derived from spans. A retry counts as soon as its wait begins, as it does
/// at `/metrics`; a client that never waits has none but its further attempts.
fn so_far(traces: &[Trace]) -> Counters {
    let number = |is_one: fn(&Span) -> bool| {
        let spans = traces.iter().flat_map(|trace| &trace.spans);
        spans.filter(|span| is_one(span)).count() as u64
    };
    let counter = |name: &str, value| Counter {
        name: name.to_owned(),
        labels: BTreeMap::new(),
        value,
    };
    let attempts = number(|span| span.name == SpanName::Attempt && span.end.is_some());
    let resends = number(|span| span.fields.get(field::RESEND_COUNT).is_some());
    let retries = resends.max(number(|span| span.name == SpanName::Wait));
    let faults = number(|span| span.fields.get(field::FAULT).is_some());
    let counters = [
        counter(ATTEMPTS, attempts),
        counter(RETRIES, retries),
        counter(FAULTS, faults),
    ];
    let moved = counters.into_iter().filter(|counter| counter.value > 0);
    moved.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::testing::{span, trace};

    const TESTED: Client = Client {
        name: "tested",
        headlines: &[ATTEMPTS],
        without: None,
    };

    fn counter(name: &str, labels: &[(&str, &str)], value: u64) -> Counter {
        let labels = labels.iter();
        Counter {
            name: name.to_owned(),
            labels: labels
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            value,
        }
    }

    #[test]
    fn a_retry_counts_from_the_beginning_of_its_wait() {
        let spans = ["attempt 0-3", "wait 3-"].map(span).to_vec();

        let counters = so_far(&[trace(spans, 10)]);

        assert_eq!(counters.total(ATTEMPTS), 1);
        assert_eq!(counters.total(RETRIES), 1);
    }

    #[test]
    fn headlines_come_first_and_parts_are_named_by_reason() {
        let retries = |endpoint| {
            let labels = [("endpoint", endpoint), ("reason", "503")];
            counter(RETRIES, &labels, 1)
        };
        let counters = [
            counter("a_total", &[("route", "/items")], 2),
            retries("a"),
            retries("b"),
        ];

        let rises = rises(TESTED, &counters.into_iter().collect());

        let line = |rise: &Rise| {
            let parts = rise.parts.iter();
            let parts: String = parts
                .map(|part| format!(" {} {}", part.kind, part.change))
                .collect();
            format!("{} {} {}{parts}", rise.name, rise.own, rise.change)
        };
        assert_eq!(
            rises.iter().map(line).collect::<Vec<_>>(),
            [
                "client_attempts_total true 0",
                "a_total false +2",
                "client_retries_total true +2 503 +2",
            ]
        );
    }
}
