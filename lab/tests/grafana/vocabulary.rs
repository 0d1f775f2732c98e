//! Dashboards, rules and code speak of the same metrics, both ways.

use std::collections::{BTreeMap, BTreeSet};

use client::{
    FailureKind, RETRY_STATUSES,
    telemetry::{self as client_side, GiveUp, MetricKind as ClientKind},
};
use lab::NAIVE_METRICS;
use server::telemetry::{self as service_side, MetricKind as ServiceKind};

use crate::{
    dashboards::Dashboard,
    files::{list, string},
    linter::label_values,
    promql::{self, Query},
    rules::{Rule, RuleKind},
};

/// The labels that Prometheus gives every series it scrapes.
const SCRAPED: [&str; 2] = ["job", "instance"];

/// What no panel shows, and why.
const NOT_SHOWN: [(&str, &str); 2] = [
    ("naive_attempts_total", NAIVE),
    ("naive_retries_total", NAIVE),
];
const NAIVE: &str = "the naive client plays only where somebody compares the two, and the lab's \
                     own page puts its numbers beside the reliable client's";

/// Every series there can be, with its labels.
struct Vocabulary {
    series: BTreeMap<String, BTreeSet<String>>,
    /// The metric that a series is part of.
    metric_of: BTreeMap<String, &'static str>,
}

impl Vocabulary {
    /// What the crates register, and what Prometheus adds.
    fn of_the_code() -> Self {
        let mut vocabulary = Self {
            series: BTreeMap::new(),
            metric_of: BTreeMap::new(),
        };
        for metric in client_side::METRICS.iter().chain(&NAIVE_METRICS) {
            vocabulary.add(
                metric.name,
                metric.labels,
                metric.kind == ClientKind::Histogram,
            );
        }
        for metric in service_side::METRICS {
            vocabulary.add(
                metric.name,
                metric.labels,
                metric.kind == ServiceKind::Histogram,
            );
        }
        vocabulary
            .series
            .insert("up".to_owned(), SCRAPED.map(str::to_owned).into());
        vocabulary
    }

    fn add(&mut self, name: &'static str, labels: &[&str], histogram: bool) {
        let endings: &[&str] = if histogram {
            &["_bucket", "_sum", "_count"]
        } else {
            &[""]
        };
        for ending in endings {
            let own = labels.iter().copied().chain(SCRAPED);
            let bound = (*ending == "_bucket").then_some("le");
            let series = format!("{name}{ending}");
            self.series.insert(
                series.clone(),
                own.chain(bound).map(str::to_owned).collect(),
            );
            self.metric_of.insert(series, name);
        }
    }

    /// Adds what the recording rules make of it.
    fn with_recorded(mut self, rules: &[Rule]) -> Self {
        for rule in rules.iter().filter(|rule| rule.kind == RuleKind::Recording) {
            let kept = rule.query().kept.into_iter().collect();
            self.series.insert(rule.name.clone(), kept);
        }
        self
    }

    /// What is wrong with a query in the eyes of this vocabulary.
    fn complaints(&self, query: &Query) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut read = BTreeSet::new();
        for selector in &query.selectors {
            let Some(labels) = self.series.get(&selector.metric) else {
                complaints.push(format!("there is no {}", selector.metric));
                continue;
            };
            for (label, ..) in selector
                .matchers
                .iter()
                .filter(|(label, ..)| !labels.contains(label))
            {
                complaints.push(format!("{} has no label {label}", selector.metric));
            }
            read.extend(labels);
        }
        let unknown = query.kept.iter().filter(|label| !read.contains(label));
        complaints.extend(unknown.map(|label| format!("nothing here has the label {label}")));
        complaints
    }
}

fn vocabulary() -> Vocabulary {
    Vocabulary::of_the_code().with_recorded(&Rule::all())
}

/// Every expression in `dashboards/`, with what a complaint calls it.
fn expressions() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for dashboard in Dashboard::all() {
        for panel in dashboard.panels() {
            all.extend(
                panel
                    .expressions()
                    .map(|text| (panel.name(), text.to_owned())),
            );
        }
        for variable in dashboard.queried_variables() {
            let query = variable["query"].as_str().expect("a query");
            let (selector, label) = label_values(query).expect("label_values");
            // The label has to be one of the selector's, so it is kept as one.
            let text = format!("count by ({label}) ({selector})");
            all.push((
                format!("{}: variable {}", dashboard.name, variable["name"]),
                text,
            ));
        }
    }
    let rules = Rule::all();
    all.extend(
        rules
            .iter()
            .map(|rule| (rule.name.clone(), rule.expression.clone())),
    );
    all
}

#[test]
fn dashboards_and_rules_read_only_what_is_there() {
    let vocabulary = vocabulary();

    let mut complaints = Vec::new();
    for (place, text) in expressions() {
        let query = promql::read(&text).unwrap_or_else(|error| panic!("{place}: {error}"));
        let found = vocabulary.complaints(&query);
        complaints.extend(
            found
                .iter()
                .map(|complaint| format!("{place}: {complaint}")),
        );
    }

    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn a_name_that_is_not_there_is_found() {
    let vocabulary = vocabulary();

    for (text, complaint) in [
        ("client_attempt_total", "there is no client_attempt_total"),
        (
            "client_retry_wait_seconds",
            "there is no client_retry_wait_seconds",
        ),
        (
            r#"service_jobs_total{fault="x"}"#,
            "service_jobs_total has no label fault",
        ),
        (
            "sum by (route) (service_jobs_total)",
            "nothing here has the label route",
        ),
        (
            r#"job_instance:client_calls:rate1m{reason="x"}"#,
            "job_instance:client_calls:rate1m has no label reason",
        ),
    ] {
        let query = promql::read(text).expect("an expression");
        assert_eq!(vocabulary.complaints(&query), [complaint]);
    }
}

#[test]
fn every_metric_is_shown_by_a_panel_or_left_out_for_a_reason() {
    let vocabulary = vocabulary();
    let rules = Rule::all();
    let mut shown = BTreeSet::new();
    for dashboard in Dashboard::all() {
        for panel in dashboard.panels() {
            for text in panel.expressions() {
                let query = promql::read(text).expect("an expression");
                let names = query.selectors.into_iter().map(|selector| selector.metric);
                // A recorded series shows what it was computed from.
                shown.extend(names.flat_map(|name| {
                    let rule = rules.iter().find(|rule| rule.name == name);
                    rule.map_or(vec![name], |rule| {
                        rule.query()
                            .selectors
                            .into_iter()
                            .map(|selector| selector.metric)
                            .collect()
                    })
                }));
            }
        }
    }
    let shown: BTreeSet<_> = shown
        .iter()
        .filter_map(|name| vocabulary.metric_of.get(name))
        .collect();

    let all: BTreeSet<_> = vocabulary.metric_of.values().collect();
    let hidden: Vec<_> = all.difference(&shown).map(|name| **name).collect();

    assert_eq!(hidden, NOT_SHOWN.map(|(name, _)| name));
    assert!(NOT_SHOWN.iter().all(|(_, reason)| !reason.is_empty()));
}

#[test]
fn a_legend_names_labels_that_its_series_have() {
    for dashboard in Dashboard::all() {
        for panel in dashboard.panels() {
            for target in panel.targets() {
                let kept = promql::read(target["expr"].as_str().expect("an expression"));
                let kept = kept.expect("an expression").kept;
                let legend = target["legendFormat"].as_str().expect("a legend");
                let named = legend
                    .split("{{")
                    .skip(1)
                    .filter_map(|rest| rest.split("}}").next());
                for label in named {
                    assert!(
                        kept.iter().any(|kept| kept == label),
                        "{}: {legend}",
                        panel.name()
                    );
                }
            }
        }
    }
}

/// The values of labels that dashboards may name: the closed sets of the crates.
fn values() -> BTreeSet<String> {
    let failures = FailureKind::ALL.map(FailureKind::as_str);
    let give_ups = GiveUp::ALL.map(GiveUp::as_str);
    let statuses = ["200", "201", "204"].map(str::to_owned);
    let retried = RETRY_STATUSES.map(|status| status.as_str().to_owned());
    let named = failures.into_iter().chain(give_ups);
    let named = named.chain(service_side::JOB_RESULTS);
    let named = named.chain(["backoff", "retry_after", service_side::OTHER]);
    let named = named.map(str::to_owned);
    named.chain(statuses).chain(retried).collect()
}

#[test]
fn only_values_that_occur_are_asked_for_or_given_a_colour() {
    let values = values();
    for dashboard in Dashboard::all() {
        for panel in dashboard.panels() {
            let overrides = list(panel.json, "/fieldConfig/overrides").iter();
            let by_name = overrides.filter(|field| field["matcher"]["id"] == "byName");
            for field in by_name {
                let name = string(field, "/matcher/options");
                // Quantiles stand before the label: "95 % backoff".
                let value = name.rsplit(' ').next().unwrap_or_default();
                assert!(values.contains(value), "{}: {name}", panel.name());
            }
            let queries = panel
                .expressions()
                .map(|text| promql::read(text).expect("readable"));
            for selector in queries.flat_map(|query| query.selectors) {
                let exact = selector
                    .matchers
                    .iter()
                    .filter(|(_, operator, _)| operator == "=");
                for (label, _, value) in exact {
                    assert!(values.contains(value), "{}: {label}={value}", panel.name());
                }
            }
        }
    }
}
