//! The ways from a number to its traces, and from one dashboard to the others.

use std::collections::BTreeSet;

use lab::{otlp, trace::SpanName};
use serde_json::{Value, json};
use server::telemetry::OTHER;

use crate::{
    dashboards::Dashboard,
    files::{list, string},
    promql, provisioning,
};

/// What TraceQL itself knows of a span.
const INTRINSIC: [&str; 4] = ["duration", "kind", "name", "status"];

/// A link to a search for traces.
struct Search {
    place: String,
    /// What is searched for, variables and all.
    query: String,
    /// The labels whose values it takes over.
    labels: Vec<String>,
    /// The labels that the linked series have.
    kept: Vec<String>,
    panes: Value,
}

/// Every address that leads to Explore, from panels, texts and dashboards.
fn searches() -> Vec<Search> {
    let mut all = Vec::new();
    for dashboard in Dashboard::all() {
        for link in list(&dashboard.json, "/links") {
            if let Some(url) = link["url"].as_str() {
                all.push(Search::read(&dashboard.name, url, &[]));
            }
        }
        for panel in dashboard.panels() {
            let queries = panel
                .expressions()
                .filter_map(|text| promql::read(text).ok());
            let kept: Vec<_> = queries.flat_map(|query| query.kept).collect();
            for link in list(panel.json, "/fieldConfig/defaults/links") {
                all.push(Search::read(&panel.name(), string(link, "/url"), &kept));
            }
            let text = panel
                .json
                .pointer("/options/content")
                .and_then(Value::as_str);
            for link in text.unwrap_or_default().split("](").skip(1) {
                let url = link.split(')').next().expect("an end");
                all.push(Search::read(&panel.name(), url, &[]));
            }
        }
    }
    all
}

impl Search {
    fn read(place: &str, url: &str, kept: &[String]) -> Self {
        let panes = url.strip_prefix("/explore?schemaVersion=1&orgId=1&panes=");
        let panes = panes.unwrap_or_else(|| panic!("{place}: {url} leads elsewhere"));
        let label = "${__field.labels.";
        let labels = panes.split(label).skip(1).map(|rest| {
            let name = rest.split(":percentencode}").next();
            name.expect("an encoded label").to_owned()
        });
        let decoded = decoded(panes);
        let panes: Value =
            serde_json::from_str(&decoded).unwrap_or_else(|error| panic!("{place}: {error}"));
        Self {
            place: place.to_owned(),
            query: string(&panes, "/traces/queries/0/query").to_owned(),
            labels: labels.collect(),
            kept: kept.to_vec(),
            panes,
        }
    }

    /// The attributes it asks for: `span.` and `resource.` with their names.
    fn attributes(&self) -> Vec<&str> {
        let outside = self.query.split('"').step_by(2);
        let words = outside.flat_map(str::split_whitespace);
        words
            .filter(|word| word.starts_with(char::is_alphabetic))
            .collect()
    }
}

/// Undoes percent-encoding.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(code, 16).expect("two hexadecimal digits"));
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn every_search_asks_tempo_for_what_spans_have() {
    let spans = [
        SpanName::Run,
        SpanName::Operation,
        SpanName::Attempt,
        SpanName::Wait,
        SpanName::Request,
    ];
    let fields: BTreeSet<_> = spans
        .iter()
        .flat_map(|span| span.fields())
        .copied()
        .collect();
    let searches = searches();

    assert!(searches.len() > 20, "{}", searches.len());
    for search in searches {
        let Search { place, query, .. } = &search;
        let mut asked = 0;
        for attribute in search.attributes() {
            let known = match attribute.split_once('.') {
                Some(("span", field)) => fields.contains(field),
                Some(("resource", name)) => name == "service.name",
                _ => INTRINSIC.contains(&attribute) || is_value(attribute),
            };
            assert!(known, "{place}: {attribute} in {query}");
            asked += 1;
        }
        assert!(asked > 0, "{place}: {query}");
    }
}

/// Whether a word of a query is a value rather than a name.
fn is_value(word: &str) -> bool {
    ["nil", "error", "client", "server"].contains(&word)
}

#[test]
fn a_search_for_a_service_names_one_that_sends_spans() {
    for search in searches() {
        if let Some((_, service)) = search.query.split_once("resource.service.name = ") {
            let known = [otlp::CLIENT_SERVICE, otlp::SERVER_SERVICE];
            let named = service.split('"').nth(1).expect("a text");
            assert!(known.contains(&named), "{}: {named}", search.place);
        }
    }
}

#[test]
fn a_search_takes_over_only_labels_that_its_series_have() {
    for search in searches() {
        for label in &search.labels {
            assert!(
                search.kept.contains(label),
                "{} has no {label}",
                search.place
            );
        }
    }
}

#[test]
fn every_search_goes_to_the_tempo_that_is_provisioned() {
    let tempo = provisioning::datasource("tempo");
    let uid = string(&tempo, "/uid");

    for search in searches() {
        let pane = &search.panes["traces"];
        let named = [
            &pane["datasource"],
            &pane["queries"][0]["datasource"]["uid"],
        ];
        assert_eq!(named, [uid, uid], "{}", search.place);
        assert_eq!(
            pane["queries"][0]["queryType"], "traceql",
            "{}",
            search.place
        );
    }
}

#[test]
fn every_dashboard_links_to_the_others_by_a_tag_they_share() {
    for dashboard in Dashboard::all() {
        let links = list(&dashboard.json, "/links").iter();
        let by_tag = links.filter(|link| link["type"] == "dashboards");
        let tags: Vec<_> = by_tag.flat_map(|link| list(link, "/tags")).collect();

        assert_eq!(tags, ["lab"], "{}", dashboard.name);
        assert_eq!(dashboard.json["tags"][0], "lab", "{}", dashboard.name);
    }
}

#[test]
fn a_click_on_a_line_opens_its_traces() {
    for dashboard in Dashboard::all() {
        let of_series = dashboard
            .panels()
            .filter(|panel| panel.kind() == "timeseries");
        for panel in of_series {
            let links = list(panel.json, "/fieldConfig/defaults/links");
            assert!(links.len() <= 1, "{} has several", panel.name());
            let opened = links.iter().all(|link| link["oneClick"] == true);
            assert!(opened, "{} only offers its traces", panel.name());
        }
    }
}

#[test]
fn every_dashboard_has_a_way_to_the_traces_of_what_it_shows() {
    for dashboard in Dashboard::all() {
        let of_series = dashboard
            .panels()
            .filter(|panel| panel.kind() == "timeseries");
        let linked = of_series
            .filter(|panel| !list(panel.json, "/fieldConfig/defaults/links").is_empty())
            .count();

        assert!(linked >= 4, "{}: {linked}", dashboard.name);
    }
}

/// Of what has no name of its own the service's spans have none to search for.
#[test]
fn what_is_summed_up_as_other_leads_nowhere() {
    let nameless =
        ["http_route", "http_response_status_code"].map(|label| format!("{{{{{label}}}}}"));
    let mut held = 0;
    for panel in Dashboard::all().iter().flat_map(Dashboard::panels) {
        let mut legends = panel
            .targets()
            .iter()
            .map(|target| string(target, "/legendFormat"));
        let links = list(panel.json, "/fieldConfig/defaults/links");
        if links.is_empty() || !legends.any(|legend| nameless.iter().any(|name| name == legend)) {
            continue;
        }
        let overrides = list(panel.json, "/fieldConfig/overrides");
        let other = overrides
            .iter()
            .find(|found| found["matcher"]["options"] == OTHER);
        let properties = other.map(|found| &found["properties"]);
        let none = json!([{ "id": "links", "value": [] }]);
        assert_eq!(properties, Some(&none), "{}", panel.name());
        held += 1;
    }
    assert_eq!(held, 4);
}
