//! The rules of grafana/dashboard-linter that no query shows: descriptions, units, sources
//! and links.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::grafana::{
    dashboards::{Dashboard, Panel, panels},
    files::{list, string, text},
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
        let json = dashboard.json.to_string();
        for query in json.split("%22query%22%3A%22").skip(1) {
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

/// A click on a line opens the traces of this line, and of no other.
#[test]
fn the_link_of_a_line_asks_for_each_label_in_its_name() {
    let mut lines = 0;
    for panel in panels() {
        let overrides = list(&panel.json, "/fieldConfig/overrides").iter();
        let properties = overrides.flat_map(|one| list(one, "/properties"));
        let own_links = properties.filter(|property| property["id"] == "links");
        let own_links = own_links.flat_map(|property| list(property, "/value"));
        let links = list(&panel.json, "/fieldConfig/defaults/links").iter();
        for link in links.chain(own_links) {
            for target in panel.targets() {
                for label in string(target, "/legendFormat").split("{{").skip(1) {
                    let (label, _) = label.split_once("}}").expect("an end");
                    let value = format!("${{__field.labels.{label}");
                    let url = string(link, "/url");
                    assert!(
                        url.contains(&value),
                        "{}: {label} is not in {url}",
                        panel.name
                    );
                    lines += 1;
                }
            }
        }
    }
    assert!(lines > 10, "{lines}");
}

/// The spans that an event of a counter leaves: the search behind a number of such events
/// asks for an attribute that these spans have and others do not.
#[test]
fn the_link_of_a_decision_of_the_client_asks_for_the_spans_of_this_decision() {
    for (metric, attribute) in [
        ("client_retries_total", "reliable_api_client.wait.source"),
        ("client_give_ups_total", "reliable_api_client.stop.reason"),
    ] {
        let mut links = 0;
        for panel in panels() {
            if panel.expressions().any(|text| text.contains(metric)) {
                for link in list(&panel.json, "/fieldConfig/defaults/links") {
                    let url = string(link, "/url");
                    assert!(url.contains(attribute), "{}: {url}", panel.name);
                    links += 1;
                }
            }
        }
        assert!(links >= 2, "{metric}: {links}");
    }
}

/// `$__rate_interval` is four times the interval of the data source: with fewer samples than
/// that in it, a graph lacks events.
#[test]
fn the_data_source_has_the_interval_of_the_scrapes() {
    let value = |path: &str, key: &str| {
        let text = text(path);
        let mut lines = text.lines().map(str::trim);
        let found = lines.find_map(|line| line.strip_prefix(key).map(str::to_owned));
        found.unwrap_or_else(|| panic!("{path} has no {key}"))
    };
    let source = value(
        "dashboards/grafana/provisioning/datasources/lab.yml",
        "timeInterval: ",
    );
    let scrapes = value("dashboards/prometheus/prometheus.yml", "scrape_interval: ");
    assert_eq!(source, scrapes);
}

/// A number is the counter itself, and says so, or a `rate` or an `increase` of it. A
/// difference of two samples is neither: it is wrong after a restart, and if Prometheus is
/// younger than the time shown.
#[test]
fn every_expression_selects_the_job_and_the_instance_and_takes_rates_over_grafanas_interval() {
    for panel in panels() {
        for expression in panel.expressions() {
            let name = &panel.name;
            let selectors = expression.matches('{').count();
            assert_eq!(selectors, expression.matches(SELECTOR).count(), "{name}");
            for (function, range) in [("rate(", "[$__rate_interval]"), ("increase(", "[$__range]")]
            {
                for call in expression.split(function).skip(1) {
                    let (_, rest) = call.split_once('}').expect("a selector");
                    assert!(rest.starts_with(range), "{name}: {function}{call}");
                }
            }
            assert!(!expression.contains("offset"), "{name}: {expression}");
            let of_a_counter = expression.contains("_total") || expression.contains("_count");
            let rises = ["rate(", "increase("]
                .iter()
                .any(|part| expression.contains(part));
            let title = string(&panel.json, "/title");
            let since_the_start = title.ends_with("since the lab started");
            let has_form = !of_a_counter || rises != since_the_start;
            assert!(has_form, "{name}: {expression}");
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
                let Some(label) = label else {
                    let description = string(&panel.json, "/description");
                    let says_so = description.contains("does not narrow it");
                    assert!(says_so || expression.contains("up{"), "{}", panel.name);
                    continue;
                };
                let matcher = format!("{label}=~\"${variable}\"");
                assert!(inner.contains(&matcher), "{}: {inner}", panel.name);
            }
        }
    }
}
