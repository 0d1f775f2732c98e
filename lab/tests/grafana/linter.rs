//! The rules of grafana/dashboard-linter that no query shows: descriptions, units, sources
//! and links.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    dashboards::{Dashboard, Panel, panels},
    files::{list, string},
};

/// The part of Grafana's units that a dashboard of requests and waits can need
/// (`packages/grafana-data/src/valueFormats/categories.ts`).
const UNITS: &str = "none short percentunit bool_on_off s cps reqps cpm";

#[test]
fn every_panel_is_described_and_asks_the_chosen_source() {
    for Panel { name, json } in panels() {
        assert_ne!(string(&json, "/title"), "", "{name}");
        let description = string(&json, "/description");
        assert!(description.contains("Not included: "), "{name}");
        let targets = list(&json, "/targets");
        let has_queries = !matches!(string(&json, "/type"), "text" | "alertlist");
        assert_eq!(has_queries, !targets.is_empty(), "{name}");
        for place in [&json].into_iter().chain(targets).filter(|_| has_queries) {
            assert_eq!(place["datasource"]["uid"], "$datasource", "{name}");
            let unit = json.pointer("/fieldConfig/defaults/unit");
            let unit = unit.and_then(Value::as_str).unwrap_or_default();
            assert!(
                UNITS.split(' ').any(|known| known == unit),
                "{name}: {unit}"
            );
        }
    }
    for dashboard in Dashboard::all() {
        let panels = list(&dashboard.json, "/panels");
        let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64()).collect();
        assert_eq!(ids.len(), panels.len(), "{}", dashboard.name);
    }
}

/// Where a link leads: to a search for traces by what the lab's spans have.
#[test]
fn every_search_asks_tempo_for_attributes_that_spans_have() {
    let mut searches = 0;
    for dashboard in Dashboard::all() {
        let text = dashboard.json.to_string();
        for query in text.split("%22query%22%3A%22").skip(1) {
            let query = query.split("%22%2C%22limit").next().expect("an end");
            for attribute in query.split("span.").skip(1) {
                let is_name = |char: char| char.is_ascii_lowercase() || "._".contains(char);
                let name = attribute.split(|char| !is_name(char)).next();
                let name = name.expect("a name");
                let mut spans = scenario::trace::SpanName::ALL.iter();
                let known = spans.any(|span| span.fields().contains(&name));
                assert!(known, "{}: span.{name}", dashboard.name);
            }
            searches += 1;
        }
    }
    assert!(searches > 20, "{searches}");
}
