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

/// Where every selector begins.
const SELECTOR: &str = r#"{job=~"$job", instance=~"$instance""#;

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

/// The linter also asks for `rate` or `increase` around every counter. A counter less its
/// own past is an exception: it is exact.
#[test]
fn every_expression_selects_the_job_and_the_instance_and_takes_rates_over_grafanas_interval() {
    for panel in panels() {
        for expression in panel.expressions() {
            let name = &panel.name;
            let selectors = expression.matches('{').count();
            assert_eq!(selectors, expression.matches(SELECTOR).count(), "{name}");
            for (function, range) in [
                ("rate(", "[$__rate_interval]"),
                ("increase(", "[$__range]"),
                ("resets(", "[$__range]"),
            ] {
                for call in expression.split(function).skip(1) {
                    let (_, rest) = call.split_once('}').expect("a selector");
                    assert!(rest.starts_with(range), "{name}: {function}{call}");
                }
            }
            let of_a_counter = expression.contains("_total") || expression.contains("_count");
            let rises = ["rate(", "increase("]
                .iter()
                .any(|part| expression.contains(part));
            assert!(rises || !of_a_counter, "{name}: {expression}");
        }
    }
}

/// A dashboard that adds up the endpoints has a variable for them, and every panel whose
/// metrics have the label uses it.
#[test]
fn a_panel_whose_metric_has_an_endpoint_or_a_route_can_be_narrowed_to_one() {
    for dashboard in Dashboard::all() {
        let is_service = dashboard.name == "service";
        let (labels, variable): (&[_], _) = if is_service {
            (&["http_route", "route"], "route")
        } else {
            (&["endpoint"], "endpoint")
        };
        let mut variables = dashboard.variables().iter();
        assert!(
            variables.any(|known| known["name"] == variable),
            "{}",
            dashboard.name
        );
        for panel in dashboard.panels() {
            for selector in panel
                .expressions()
                .flat_map(|text| text.split(SELECTOR).skip(1))
            {
                let expression = panel.expressions().collect::<String>();
                let (inner, _) = selector.split_once('}').expect("an end");
                let metrics = scenario::metrics().into_iter();
                let mut metrics = metrics.filter(|metric| expression.contains(metric.name));
                let label = metrics.find_map(|metric| {
                    let mut own = metric.labels.iter();
                    own.find(|label| labels.contains(label)).copied()
                });
                let Some(label) = label else { continue };
                let matcher = format!("{label}=~\"${variable}\"");
                assert!(inner.contains(&matcher), "{}: {inner}", panel.name);
            }
        }
    }
}
