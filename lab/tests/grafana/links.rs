//! The links from a number to its traces, and from one dashboard to the others.

use std::collections::BTreeSet;

use client::telemetry::CallOutcome;
use host::telemetry::OTHER;
use lab::otlp;
use reqwest::Url;
use scenario::trace::SpanName;
use serde_json::{Value, json};

use crate::{
    dashboards::{Dashboard, panels},
    files::{list, string},
};

/// The intrinsic fields of TraceQL.
const INTRINSIC: [&str; 4] = ["duration", "kind", "name", "status"];

/// The values that the queries use without quotes.
const VALUES: [&str; 4] = ["nil", "error", "client", "server"];

/// A link to a search for traces.
struct Search {
    place: String,
    /// The query, including its variables.
    query: String,
    /// The labels whose values it uses.
    labels: Vec<String>,
    /// The labels that the linked series have.
    kept: Vec<String>,
    pane: Value,
}

/// Every link to Explore, from panels, texts and dashboards.
fn searches() -> Vec<Search> {
    let mut all = Vec::new();
    for dashboard in Dashboard::all() {
        let links = list(&dashboard.json, "/links").iter();
        let urls = links.filter_map(|link| link["url"].as_str());
        all.extend(urls.map(|url| Search::read(&dashboard.name, url, &[])));
    }
    for panel in panels() {
        let kept: Vec<_> = panel.queries().flat_map(|query| query.kept).collect();
        let urls = panel.links().iter().map(|link| string(link, "/url"));
        all.extend(urls.map(|url| Search::read(&panel.name, url, &kept)));
        let text = panel.json.pointer("/options/content");
        let text = text.and_then(Value::as_str).unwrap_or_default();
        let urls = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        all.extend(urls.map(|url| Search::read(&panel.name, url, &[])));
    }
    all
}

impl Search {
    fn read(place: &str, link: &str, kept: &[String]) -> Self {
        let grafana = Url::parse("http://127.0.0.1:3000").expect("a URL");
        let url = grafana.join(link).expect("a URL");
        assert_eq!(url.path(), "/explore", "{place}");
        let [version, organisation, panes] = &url.query_pairs().collect::<Vec<_>>()[..] else {
            panic!("{place}: {link}");
        };
        assert_eq!(version, &("schemaVersion".into(), "1".into()), "{place}");
        assert_eq!(organisation, &("orgId".into(), "1".into()), "{place}");
        assert_eq!(panes.0, "panes", "{place}");
        let read = serde_json::from_str::<Value>(&panes.1);
        let pane = read.unwrap_or_else(|error| panic!("{place}: {error}"))["traces"].take();
        let labels = panes.1.split("${__field.labels.").skip(1).map(|rest| {
            let (name, _) = rest
                .split_once(":percentencode}")
                .expect("an encoded label");
            name.to_owned()
        });
        Self {
            place: place.to_owned(),
            query: string(&pane, "/queries/0/query").to_owned(),
            labels: labels.collect(),
            kept: kept.to_vec(),
            pane,
        }
    }

    /// The unquoted words of its query: names, and a few values.
    fn words(&self) -> Vec<&str> {
        let outside = self.query.split('"').step_by(2);
        let words = outside.flat_map(str::split_whitespace);
        words
            .filter(|word| word.starts_with(char::is_alphabetic))
            .collect()
    }
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
    let services = [otlp::CLIENT_SERVICE, otlp::SERVER_SERVICE];
    let searches = searches();

    assert!(searches.len() > 20, "{}", searches.len());
    for search in searches {
        let Search { place, query, .. } = &search;
        let words = search.words();
        assert!(!words.is_empty(), "{place}: {query}");
        for word in words {
            let known = match word.split_once('.') {
                Some(("span", field)) => fields.contains(field),
                Some(("resource", name)) => name == "service.name",
                _ => INTRINSIC.contains(&word) || VALUES.contains(&word),
            };
            assert!(known, "{place}: {word} in {query}");
        }
        if let Some((_, service)) = query.split_once("resource.service.name = ") {
            let named = service.split('"').nth(1).expect("a text");
            assert!(services.contains(&named), "{place}: {named}");
        }
        let mut labels = search.labels.iter();
        let lacking = labels.find(|label| !search.kept.contains(label));
        assert_eq!(lacking, None, "{place}: its series have no such label");
        let asked = &search.pane["queries"][0];
        assert_eq!(search.pane["datasource"], "tempo", "{place}");
        assert_eq!(asked["datasource"]["uid"], "tempo", "{place}");
        assert_eq!(asked["queryType"], "traceql", "{place}");
    }
}

/// No call ends with "error": the kind of failure is part of its outcome.
#[test]
fn a_search_for_calls_that_failed_finds_every_error() {
    let errors = CallOutcome::ALL.map(CallOutcome::as_str);
    let errors = errors.iter().filter(|outcome| outcome.ends_with("_error"));
    let unfinished = [CallOutcome::Ok, CallOutcome::Cancelled];
    assert_eq!(errors.count() + unfinished.len(), CallOutcome::ALL.len());

    let searches = searches();
    let mut failed = searches
        .iter()
        .filter(|search| search.query.contains("span.reliable_api_client.outcome"))
        .peekable();
    assert!(failed.peek().is_some());
    for Search { place, query, .. } in failed {
        assert_eq!(
            query, r#"{ span.reliable_api_client.outcome =~ ".+_error" }"#,
            "{place}"
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
        let mut series = dashboard.panels();
        series.retain(|panel| panel.kind() == "timeseries");
        for panel in &series {
            assert!(panel.links().len() <= 1, "{} has several", panel.name);
            let opened = panel.links().iter().all(|link| link["oneClick"] == true);
            assert!(opened, "{} only offers its traces", panel.name);
        }
        let linked = series
            .iter()
            .filter(|panel| !panel.links().is_empty())
            .count();
        assert!(linked >= 4, "{}: {linked}", dashboard.name);
    }
}

/// A series without its own name has no spans to search for.
#[test]
fn the_series_other_has_no_link() {
    let mut held = 0;
    for panel in panels() {
        let mut legends = panel.targets().iter().map(|it| string(it, "/legendFormat"));
        let nameless = ["{{http_route}}", "{{http_response_status_code}}"];
        if panel.links().is_empty() || !legends.any(|legend| nameless.contains(&legend)) {
            continue;
        }
        let mut overrides = panel.overrides().iter();
        let other = overrides.find(|found| found["matcher"]["options"] == OTHER);
        let none = json!([{ "id": "links", "value": [] }]);
        assert_eq!(
            other.map(|it| &it["properties"]),
            Some(&none),
            "{}",
            panel.name
        );
        held += 1;
    }
    assert_eq!(held, 4);
}
