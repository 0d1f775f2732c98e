//! Dashboards, rules and code use the same metrics, in both directions.

use std::collections::{BTreeMap, BTreeSet};

use client::{
    FINAL_STATUSES, FailureKind, RETRY_STATUSES,
    telemetry::{CallOutcome, GiveUp},
};
use host::telemetry as service_side;
use promql_parser::label::MatchOp;

use crate::{
    dashboards::{Dashboard, Panel, panels},
    files::string,
    promql::{self, Query},
    rules::Rule,
};

/// The labels that Prometheus gives every series it scrapes.
const SCRAPED: [&str; 2] = ["job", "instance"];

/// The metrics without a panel: the gauges of a client. Each run of the lab has its own
/// client, so they would show the last one.
const NOT_SHOWN: [&str; 2] = ["client_concurrency_limit", "client_retry_budget_tokens"];

/// All possible series, with their labels.
type Vocabulary = BTreeMap<String, BTreeSet<String>>;

/// The series of each metric that the crates register, with the labels that
/// Prometheus adds.
fn metrics() -> BTreeMap<&'static str, Vocabulary> {
    let metrics = scenario::metrics().into_iter();
    let with_series = metrics.map(|metric| {
        let series: &[(&str, &[&str])] = match metric.kind {
            "histogram" => &[("_bucket", &["le"]), ("_sum", &[]), ("_count", &[])],
            _ => &[("", &[])],
        };
        let series = series.iter().map(|(ending, own)| {
            let labels = metric.labels.iter().chain(&SCRAPED).chain(*own);
            let labels = labels.map(|label| (*label).to_owned()).collect();
            (format!("{}{ending}", metric.name), labels)
        });
        (metric.name, series.collect())
    });
    with_series.collect()
}

/// The metrics that the crates register, those that Prometheus adds, and those that the
/// recording rules compute.
fn vocabulary() -> Vocabulary {
    let mut all: Vocabulary = metrics().into_values().flatten().collect();
    all.insert("up".to_owned(), SCRAPED.map(str::to_owned).into());
    let recorded = Rule::recording().into_iter();
    all.extend(recorded.map(|rule| (rule.name.clone(), rule.query().kept.into_iter().collect())));
    all
}

/// The metrics that each expression in `dashboards/` reads, with its name for error
/// messages.
fn queries() -> Vec<(String, Query)> {
    let mut all = Vec::new();
    for panel in panels() {
        all.extend(panel.queries().map(|query| (panel.name.clone(), query)));
    }
    for dashboard in Dashboard::all() {
        for (selector, label) in dashboard.queried_variables() {
            // The label has to be one of the selector's, so it is kept as one.
            let query = promql::read(&format!("count by ({label}) ({selector})"));
            all.push((
                format!("{}: {selector}", dashboard.name),
                query.expect(selector),
            ));
        }
    }
    all.extend(
        Rule::all()
            .iter()
            .map(|rule| (rule.name.clone(), rule.query())),
    );
    all
}

#[test]
fn dashboards_and_rules_use_only_existing_metrics() {
    let vocabulary = vocabulary();

    for (place, query) in queries() {
        let mut read = BTreeSet::new();
        for selector in &query.selectors {
            let metric = &selector.metric;
            let labels = vocabulary.get(metric);
            let labels = labels.unwrap_or_else(|| panic!("{place}: there is no {metric}"));
            let mut named = selector.matchers.iter().map(|matcher| &matcher.name);
            let unknown = named.find(|label| !labels.contains(*label));
            assert_eq!(unknown, None, "{place}: a label that {metric} lacks");
            read.extend(labels);
        }
        let unknown = query.kept.iter().find(|label| !read.contains(label));
        assert_eq!(unknown, None, "{place}: a label that nothing here has");
    }
}

#[test]
fn every_metric_has_a_panel_or_a_reason_for_having_none() {
    let recording = Rule::recording();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for selector in panels()
        .iter()
        .flat_map(Panel::queries)
        .flat_map(|it| it.selectors)
    {
        // A recorded series shows the metrics that it was computed from.
        let rule = recording.iter().find(|rule| rule.name == selector.metric);
        shown.extend(
            rule.into_iter()
                .flat_map(|rule| rule.query().selectors)
                .map(|it| it.metric),
        );
        shown.insert(selector.metric);
    }

    let metrics = metrics().into_iter();
    let hidden = metrics.filter(|(_, series)| series.keys().all(|name| !shown.contains(name)));

    assert_eq!(hidden.map(|(name, _)| name).collect::<Vec<_>>(), NOT_SHOWN);
}

#[test]
fn a_legend_names_labels_that_its_series_have() {
    for panel in panels() {
        for (target, query) in panel.targets().iter().zip(panel.queries()) {
            let legend = string(target, "/legendFormat");
            let named = legend.split("{{").skip(1);
            for label in named.filter_map(|rest| rest.split("}}").next()) {
                let kept = query.kept.iter().any(|kept| kept == label);
                assert!(kept, "{}: {legend}", panel.name);
            }
        }
    }
}

/// The values of labels that dashboards may name: the closed sets of the crates.
fn values() -> BTreeSet<String> {
    let failures = FailureKind::ALL.map(FailureKind::as_str);
    let give_ups = GiveUp::ALL.map(GiveUp::as_str);
    let outcomes = CallOutcome::ALL.map(CallOutcome::as_str);
    let statuses = RETRY_STATUSES.into_iter().chain(FINAL_STATUSES);
    let statuses = statuses.map(|status| status.as_str().to_owned());
    let named = failures.into_iter().chain(give_ups).chain(outcomes);
    let named = named.chain(service_side::JOB_RESULTS);
    let named = named.chain(["backoff", "retry_after", "true", "false"]);
    let named = named.chain(["200", "201", "204", "302", service_side::OTHER]);
    named.map(str::to_owned).chain(statuses).collect()
}

#[test]
fn only_existing_label_values_are_queried_or_coloured() {
    let values = values();
    for panel in panels() {
        let legends = panel.targets().iter().map(|it| string(it, "/legendFormat"));
        let legends: Vec<_> = legends.collect();
        let overrides = panel.overrides().iter();
        for field in overrides.filter(|field| field["matcher"]["id"] == "byName") {
            let name = string(field, "/matcher/options");
            let occurs = legends.contains(&name) || values.contains(name);
            assert!(occurs, "{}: {name}", panel.name);
        }
        let selectors = panel.queries().flat_map(|query| query.selectors);
        for matcher in selectors.flat_map(|selector| selector.matchers) {
            let known = values.contains(&matcher.value) || matcher.op != MatchOp::Equal;
            assert!(known, "{}: {matcher}", panel.name);
        }
    }
}
