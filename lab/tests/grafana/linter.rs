//! The rules of grafana/dashboard-linter, as strict as they come: what it would
//! warn of is an error here.
//!
//! Its rules about Loki have nothing to look at: every query is for Prometheus.

use serde_json::{Value, json};

use crate::{
    dashboards::{Dashboard, Panel},
    promql::{self, Query},
};

/// A rule: what it has against a dashboard.
type Rule = fn(&Dashboard) -> Vec<String>;

/// The rules by the names that the linter gives them.
const RULES: [(&str, Rule); 15] = [
    ("template-datasource-rule", template_datasource),
    ("template-job-rule", |dashboard| {
        template(dashboard, "job", "Job")
    }),
    ("template-instance-rule", |dashboard| {
        template(dashboard, "instance", "Instance")
    }),
    ("template-label-promql-rule", template_label_promql),
    ("template-on-time-change-reload-rule", template_reload),
    ("panel-datasource-rule", panel_datasource),
    ("panel-title-description-rule", panel_title_description),
    ("panel-units-rule", panel_units),
    ("panel-no-targets-rule", panel_no_targets),
    ("target-promql-rule", target_promql),
    ("target-rate-interval-rule", target_rate_interval),
    ("target-job-rule", |dashboard| {
        target_matcher(dashboard, "job", "$job")
    }),
    ("target-instance-rule", |dashboard| {
        target_matcher(dashboard, "instance", "$instance")
    }),
    ("target-counter-agg-rule", target_counter_agg),
    ("uneditable-dashboard", uneditable),
];

/// The part of Grafana's units that a dashboard of requests and waits can need
/// (`packages/grafana-data/src/valueFormats/categories.ts`).
const UNITS: [&str; 14] = [
    "none",
    "short",
    "percent",
    "percentunit",
    "bool",
    "bool_yes_no",
    "bool_on_off",
    "ms",
    "s",
    "bytes",
    "cps",
    "ops",
    "reqps",
    "cpm",
];

/// A complaint, unless it holds.
fn unless(holds: bool, complaint: impl FnOnce() -> String) -> Option<String> {
    (!holds).then(complaint)
}

fn template_datasource(dashboard: &Dashboard) -> Vec<String> {
    let all: Vec<_> = dashboard
        .variables()
        .iter()
        .filter(|variable| variable["type"] == "datasource")
        .map(|variable| [&variable["name"], &variable["label"], &variable["query"]])
        .collect();
    let complaint = || format!("{}: the data sources are {all:?}", dashboard.name);
    let only = [
        &json!("datasource"),
        &json!("Data source"),
        &json!("prometheus"),
    ];
    unless(all == [only], complaint).into_iter().collect()
}

fn template(dashboard: &Dashboard, name: &str, label: &str) -> Vec<String> {
    let variable = dashboard
        .variables()
        .iter()
        .find(|variable| variable["name"] == name);
    let Some(variable) = variable else {
        return vec![format!("{}: there is no variable {name}", dashboard.name)];
    };
    let expected = [
        ("/type", json!("query")),
        ("/label", json!(label)),
        ("/datasource/uid", json!("$datasource")),
        ("/multi", json!(true)),
        ("/allValue", json!(".+")),
    ];
    let complaints = expected.into_iter().filter_map(|(pointer, value)| {
        unless(variable.pointer(pointer) == Some(&value), || {
            format!(
                "{}: {pointer} of the variable {name} is not {value}",
                dashboard.name
            )
        })
    });
    complaints.collect()
}

/// The selector and the label of `label_values(selector, label)`.
pub(crate) fn label_values(query: &str) -> Option<(&str, &str)> {
    query
        .strip_prefix("label_values(")?
        .strip_suffix(')')?
        .rsplit_once(", ")
}

fn template_label_promql(dashboard: &Dashboard) -> Vec<String> {
    let variables = dashboard.queried_variables();
    let complaints = variables.filter_map(|variable| {
        let query = variable["query"].as_str().unwrap_or_default();
        let read = label_values(query).map(|(selector, _)| promql::read(selector));
        unless(matches!(read, Some(Ok(_))), || {
            format!(
                "{}: {query:?} of {} gives {read:?}",
                dashboard.name, variable["name"]
            )
        })
    });
    complaints.collect()
}

fn template_reload(dashboard: &Dashboard) -> Vec<String> {
    let variables = dashboard.queried_variables();
    let complaints = variables.filter_map(|variable| {
        unless(variable["refresh"] == 2, || {
            format!(
                "{}: {} is not read again for another time",
                dashboard.name, variable["name"]
            )
        })
    });
    complaints.collect()
}

/// Asks something of each panel.
fn of_panels(dashboard: &Dashboard, ask: impl Fn(&Panel<'_>) -> Option<String>) -> Vec<String> {
    let panels = dashboard.panels();
    panels
        .filter_map(|panel| Some(format!("{} {}", panel.name(), ask(&panel)?)))
        .collect()
}

fn panel_datasource(dashboard: &Dashboard) -> Vec<String> {
    of_panels(dashboard, |panel| {
        let own = [panel.json].into_iter().chain(panel.targets());
        let all: Vec<_> = own.map(|place| &place["datasource"]["uid"]).collect();
        let templated = all.iter().all(|uid| **uid == "$datasource");
        unless(templated || !panel.is_queried(), || {
            format!("reads from {all:?}")
        })
    })
}

fn panel_title_description(dashboard: &Dashboard) -> Vec<String> {
    of_panels(dashboard, |panel| {
        let empty = |field: &str| panel.json[field].as_str().unwrap_or_default().is_empty();
        unless(!empty("title") && !empty("description"), || {
            "is not described".to_owned()
        })
    })
}

fn panel_units(dashboard: &Dashboard) -> Vec<String> {
    of_panels(dashboard, |panel| {
        let unit = panel.json.pointer("/fieldConfig/defaults/unit");
        let known = unit
            .and_then(Value::as_str)
            .is_some_and(|unit| UNITS.contains(&unit));
        unless(known || !panel.is_queried(), || {
            format!("has the unit {unit:?}")
        })
    })
}

fn panel_no_targets(dashboard: &Dashboard) -> Vec<String> {
    of_panels(dashboard, |panel| {
        let asks = !panel.targets().is_empty();
        unless(asks == panel.is_queried(), || "asks nothing".to_owned())
    })
}

fn target_promql(dashboard: &Dashboard) -> Vec<String> {
    of_panels(dashboard, |panel| {
        let readings = panel.targets().iter().map(|target| {
            let expression = target["expr"].as_str().unwrap_or_default();
            promql::read(expression)
        });
        readings.filter_map(Result::err).next()
    })
}

/// Asks something of what each panel's expressions select; what cannot be read
/// is for another rule.
fn of_queries(dashboard: &Dashboard, ask: impl Fn(&Query) -> Option<String>) -> Vec<String> {
    of_panels(dashboard, |panel| {
        let queries = panel
            .expressions()
            .filter_map(|text| promql::read(text).ok());
        queries.filter_map(|query| ask(&query)).next()
    })
}

fn target_rate_interval(dashboard: &Dashboard) -> Vec<String> {
    of_queries(dashboard, |query| {
        let wrong = query.selectors.iter().find(|selector| {
            let rate = selector.within.as_deref() == Some("rate");
            rate && selector.range.as_deref() != Some("$__rate_interval")
        });
        wrong.map(|selector| format!("takes the rate over {:?}", selector.range))
    })
}

fn target_matcher(dashboard: &Dashboard, label: &str, value: &str) -> Vec<String> {
    of_queries(dashboard, |query| {
        let wrong = query
            .selectors
            .iter()
            .find(|selector| !selector.has(label, "=~", value));
        wrong.map(|selector| format!("reads {} of every {label}", selector.metric))
    })
}

fn target_counter_agg(dashboard: &Dashboard) -> Vec<String> {
    of_queries(dashboard, |query| {
        let wrong = query.selectors.iter().find(|selector| {
            let rising = matches!(selector.within.as_deref(), Some("rate" | "increase"));
            selector.metric.ends_with("_total") && !(rising && selector.range.is_some())
        });
        wrong.map(|selector| format!("shows the bare counter {}", selector.metric))
    })
}

fn uneditable(dashboard: &Dashboard) -> Vec<String> {
    let holds = dashboard.json["editable"] == false;
    unless(holds, || format!("{} can be edited", dashboard.name))
        .into_iter()
        .collect()
}

#[test]
fn every_dashboard_keeps_every_rule() {
    let mut complaints = Vec::new();
    for dashboard in Dashboard::all() {
        for (name, rule) in RULES {
            let found = rule(&dashboard);
            complaints.extend(found.iter().map(|complaint| format!("{name}: {complaint}")));
        }
    }

    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_rule_finds_what_it_is_for() {
    let sound = Dashboard {
        name: "broken".to_owned(),
        json: json!({
            "editable": false,
            "templating": { "list": [
                { "type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus" },
                { "type": "query", "name": "job", "label": "Job", "multi": true, "allValue": ".+", "refresh": 2,
                  "datasource": { "uid": "$datasource" }, "query": "label_values(up, job)" },
                { "type": "query", "name": "instance", "label": "Instance", "multi": true, "allValue": ".+", "refresh": 2,
                  "datasource": { "uid": "$datasource" }, "query": "label_values(up{job=~\"$job\"}, instance)" },
            ] },
            "panels": [
                { "type": "row" },
                { "type": "stat", "title": "A", "description": "B", "datasource": { "uid": "$datasource" },
                  "fieldConfig": { "defaults": { "unit": "reqps" } },
                  "targets": [{ "datasource": { "uid": "$datasource" },
                    "expr": "rate(a_total{job=~\"$job\", instance=~\"$instance\"}[$__rate_interval])" }] },
            ],
        }),
    };
    let expression = "/panels/1/targets/0/expr";
    let broken = [
        (
            "template-datasource-rule",
            "/templating/list/0/label",
            json!("Source"),
        ),
        (
            "template-job-rule",
            "/templating/list/1/multi",
            json!(false),
        ),
        (
            "template-instance-rule",
            "/templating/list/2/allValue",
            json!(".*"),
        ),
        (
            "template-label-promql-rule",
            "/templating/list/1/query",
            json!("label_values(up{, job)"),
        ),
        (
            "template-on-time-change-reload-rule",
            "/templating/list/2/refresh",
            json!(1),
        ),
        (
            "panel-datasource-rule",
            "/panels/1/datasource/uid",
            json!("prometheus"),
        ),
        (
            "panel-title-description-rule",
            "/panels/1/description",
            json!(""),
        ),
        (
            "panel-units-rule",
            "/panels/1/fieldConfig/defaults/unit",
            json!("requests"),
        ),
        ("panel-no-targets-rule", "/panels/1/targets", json!([])),
        (
            "target-promql-rule",
            expression,
            json!("rate(a_total{job=~\"$job\"}[$__rate_interval]"),
        ),
        (
            "target-rate-interval-rule",
            expression,
            json!("rate(a_total{job=~\"$job\", instance=~\"$instance\"}[5m])"),
        ),
        (
            "target-job-rule",
            expression,
            json!("a{instance=~\"$instance\"}"),
        ),
        (
            "target-instance-rule",
            expression,
            json!("a{job=~\"$job\", instance=\"$instance\"}"),
        ),
        (
            "target-counter-agg-rule",
            expression,
            json!("sum(a_total{job=~\"$job\", instance=~\"$instance\"})"),
        ),
        ("uneditable-dashboard", "/editable", json!(true)),
    ];
    assert_eq!(broken.len(), RULES.len());

    for ((name, rule), (broken_name, pointer, value)) in RULES.into_iter().zip(broken) {
        let mut dashboard = sound.clone();
        *dashboard.json.pointer_mut(pointer).expect("a place") = value;

        assert_eq!(name, broken_name);
        assert_eq!(rule(&sound), [""; 0], "{name} complains of nothing");
        assert_eq!(rule(&dashboard).len(), 1, "{name} does not see {pointer}");
    }
}
