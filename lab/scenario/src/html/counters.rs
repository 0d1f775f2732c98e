//! The counters that a run changed, and for which reasons.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use render::page::wide_table;

use super::ShownRun;
use crate::{
    Counter, Counters, Metric,
    counters::{ATTEMPTS, FAULTS, RETRIES, risen},
    metrics,
    trace::{Span, SpanName, Trace, field},
};

/// The caption of the counters.
const CHANGES: &str = "The changes by this run, under their names in /metrics";

/// The labels that say where something was counted. The other labels say what was counted.
const WHERE: [&str; 3] = ["endpoint", "method", "route"];

/// The counters that changed; those that every run of a client shows come first.
pub(super) fn table(sides: &[ShownRun<'_>]) -> Markup {
    let metrics = metrics();
    let changes = sides.iter().map(|side| match sides.len() {
        1 => ("change", true),
        _ => (side.client.column(), true),
    });
    let titles = [("counter", false)].into_iter().chain(changes);
    let titles = titles.chain([("what it answers", false)]);
    html! {
        section #counters-panel .panel aria-labelledby="counters" {
            h2 #counters { "Counters" }
            (wide_table(Some("counters"), ("moved", CHANGES), titles, html! {
                tbody {
                    @for name in changed(sides) {
                        tr {
                            th scope="row" { code { (name) } }
                            @for side in sides {
                                td.num {
                                    b { (risen(side.counters.total(name))) }
                                    @for (reason, by) in by_reason(&side.counters, name) {
                                        span.label { (reason) " " (risen(by)) }
                                    }
                                }
                            }
                            td { (question(name, &metrics)) }
                        }
                    }
                }
            }))
        }
    }
}

/// The names of the counters that rose in any of these runs.
fn changed<'a>(sides: &'a [ShownRun<'_>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for ShownRun {
        client, counters, ..
    } in sides
    {
        let rose: BTreeSet<_> = counters.iter().map(|counter| &*counter.name).collect();
        let first = client.headlines.iter().copied();
        let first = first.filter(|name| rose.contains(name));
        for name in first.chain(rose.iter().copied()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// How much a counter rose for each reason, which the values of its labels name.
fn by_reason(counters: &Counters, name: &str) -> BTreeMap<String, u64> {
    let mut reasons = BTreeMap::new();
    for counter in counters.iter().filter(|counter| counter.name == name) {
        let labels = counter.labels.iter();
        let values: Vec<_> = labels
            .filter(|(label, _)| !WHERE.contains(&label.as_str()))
            .map(|(label, value)| match value.as_str() {
                "true" => label.clone(),
                "false" => format!("not {label}"),
                value => value.to_owned(),
            })
            .collect();
        if !values.is_empty() {
            *reasons.entry(values.join(", ")).or_default() += counter.value;
        }
    }
    reasons
}

/// The question that a metric answers, which is also its help text.
fn question(name: &str, metrics: &[Metric]) -> &'static str {
    let known = metrics.iter().find(|metric| metric.name == name);
    known.map_or("", |metric| metric.question)
}

/// The counters of a run that goes on, derived from its spans: its counters are read at its
/// end. A retry counts as soon as its wait begins, as it does at `/metrics`; a client that never
/// waits has none but its further attempts.
pub(super) fn so_far(trace: &Trace) -> Counters {
    let number = |is_one: fn(&Span) -> bool| {
        let counted = trace.spans.iter().filter(|span| is_one(span));
        counted.count() as u64
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
    use render::timeline::Timeline;

    use super::*;
    use crate::{
        Client,
        trace::testing::{span, trace},
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

        let counters = so_far(&trace(spans, 10));

        assert_eq!(counters.total(ATTEMPTS), 1);
        assert_eq!(counters.total(RETRIES), 1);
    }

    #[test]
    fn headlines_come_first_and_changes_are_named_by_reason() {
        let retries = |endpoint| {
            let labels = [("endpoint", endpoint), ("reason", "503")];
            counter(RETRIES, &labels, 1)
        };
        let counters = [
            counter("a_total", &[("route", "/items")], 2),
            retries("a"),
            retries("b"),
        ];
        let side = ShownRun {
            client: Client {
                name: "tested",
                headlines: &[ATTEMPTS, RETRIES],
                without: None,
            },
            terms: &[],
            timeline: Timeline::default(),
            counters: counters.into_iter().collect(),
            run: None,
        };

        let reasons = |name| by_reason(&side.counters, name);

        assert_eq!(changed(std::slice::from_ref(&side)), [RETRIES, "a_total"]);
        assert_eq!(reasons("a_total"), BTreeMap::new());
        assert_eq!(reasons(RETRIES), [("503".to_owned(), 2)].into());
    }
}
