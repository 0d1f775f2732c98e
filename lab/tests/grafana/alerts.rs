//! Where an alert leads: to the panel that shows why, and onto the graphs.

use std::collections::BTreeSet;

use serde_json::json;

use crate::{
    dashboards::{Dashboard, Panel},
    files::{list, string},
    promql::Query,
    rules::Rule,
};

/// The metrics that a query reads, including those of recorded series.
fn metrics(query: Query) -> BTreeSet<String> {
    let recording = Rule::recording();
    let mut metrics = BTreeSet::new();
    for selector in query.selectors {
        let rule = recording.iter().find(|rule| rule.name == selector.metric);
        match rule {
            Some(rule) => metrics.extend(self::metrics(rule.query())),
            None => drop(metrics.insert(family(&selector.metric))),
        }
    }
    metrics
}

/// A histogram by its own name.
fn family(series: &str) -> String {
    let endings = ["_bucket", "_sum", "_count"];
    let ending = endings.iter().find(|ending| series.ends_with(**ending));
    series.trim_end_matches(ending.unwrap_or(&"")).to_owned()
}

#[test]
fn an_alert_links_to_a_panel_with_its_metric() {
    for alert in Rule::alerts() {
        let annotation = |name: &str| &alert.annotations[name];
        let dashboards = Dashboard::all();
        let dashboard = dashboards
            .iter()
            .find(|it| it.json["uid"] == **annotation("__dashboardUid__"))
            .unwrap_or_else(|| panic!("{} leads to no dashboard", alert.name));
        let panels = dashboard.panels();
        let panel = panels
            .iter()
            .find(|it| it.json["id"].as_u64() == annotation("__panelId__").parse().ok())
            .unwrap_or_else(|| panic!("{} leads to no panel", alert.name));

        let shown: BTreeSet<_> = panel.queries().flat_map(metrics).collect();
        let watched = metrics(alert.query());
        let in_common = watched.intersection(&shown).count();
        assert!(in_common > 0, "{}: {}", alert.name, panel.name);
    }
}

#[test]
fn every_graph_shows_when_an_alert_fired() {
    for dashboard in Dashboard::all() {
        let annotations = list(&dashboard.json, "/annotations/list");
        let [alerts] = annotations else {
            panic!("{}: {annotations:?}", dashboard.name);
        };

        assert_eq!(alerts["enable"], true, "{}", dashboard.name);
        let expression = string(alerts, "/expr");
        let selected = r#"ALERTS{job=~"$job", instance=~"$instance", alertstate="firing"}"#;
        assert!(expression.contains(selected), "{expression}");
        assert!(string(alerts, "/titleFormat").contains("alertname"));
    }
}

#[test]
fn the_workshop_lists_firing_alerts() {
    let panels = Dashboard::named("workshop").panels();
    let lists: Vec<&Panel> = panels
        .iter()
        .filter(|panel| panel.kind() == "alertlist")
        .collect();
    let [list] = lists.as_slice() else {
        panic!("{} lists of alerts", lists.len());
    };

    assert_eq!(list.json["options"]["datasource"], "Prometheus");
    assert_eq!(list.json["options"]["stateFilter"]["firing"], json!(true));
}

/// An alert on a change is silent in the middle of an outage.
#[test]
fn no_alert_depends_on_a_change() {
    for alert in Rule::alerts() {
        for word in ["offset", "delta(", "deriv(", "predict_linear("] {
            assert!(!alert.expression.contains(word), "{}", alert.name);
        }
    }
}
