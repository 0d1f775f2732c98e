//! The rules of grafana/dashboard-linter, as strict as they come: what it would
//! warn of is an error here.
//!
//! Its rules about Loki have nothing to look at: every query is for Prometheus.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    dashboards::{Dashboard, Panel, panels},
    files::{list, string},
    promql::{self, RATE_INTERVAL},
};

/// The part of Grafana's units that a dashboard of requests and waits can need
/// (`packages/grafana-data/src/valueFormats/categories.ts`).
const UNITS: &str = "none short percent percentunit bool bool_yes_no bool_on_off ms s bytes cps \
                     ops reqps cpm";

/// The rules that are broken, by the names that the linter gives them, and where.
struct Broken(Vec<(&'static str, String)>);

impl Broken {
    fn unless(&mut self, holds: bool, rule: &'static str, place: &str) {
        if !holds {
            self.0.push((rule, place.to_owned()));
        }
    }

    fn of(dashboard: &Dashboard) -> Self {
        let mut broken = Self(Vec::new());
        let Dashboard { name, json } = dashboard;
        broken.unless(json["editable"] == false, "uneditable-dashboard", name);
        broken.variables(dashboard);
        for panel in dashboard.panels() {
            broken.panel(&panel);
        }
        broken
    }

    fn variables(&mut self, dashboard: &Dashboard) {
        let Dashboard { name, .. } = dashboard;
        let variables = dashboard.variables();
        let sources: Vec<_> = variables
            .iter()
            .filter(|variable| variable["type"] == "datasource")
            .map(|variable| ["name", "label", "query"].map(|field| &variable[field]))
            .collect();
        let only = sources == [["datasource", "Data source", "prometheus"]];
        self.unless(only, "template-datasource-rule", name);
        for (rule, variable, label) in [
            ("template-job-rule", "job", "Job"),
            ("template-instance-rule", "instance", "Instance"),
        ] {
            // "refresh" asks for its values again when the time changes: that is
            // the linter's template-on-time-change-reload-rule.
            let expected = json!({
                "type": "query", "label": label, "multi": true, "allValue": ".+", "refresh": 2,
                "datasource": { "type": "prometheus", "uid": "$datasource" },
            });
            let found = variables.iter().find(|it| it["name"] == variable);
            let same =
                |(field, value): (&String, &Value)| found.is_some_and(|it| it[field] == *value);
            let same = expected
                .as_object()
                .is_some_and(|fields| fields.iter().all(same));
            self.unless(same, rule, name);
        }
        for (selector, _) in dashboard.queried_variables() {
            let read = promql::read(selector).is_ok();
            self.unless(read, "template-label-promql-rule", selector);
        }
    }

    fn panel(&mut self, panel: &Panel) {
        let Panel { name, json } = panel;
        let said = ["title", "description"].map(|field| json[field].as_str().unwrap_or_default());
        let described = said.iter().all(|text| !text.is_empty());
        self.unless(described, "panel-title-description-rule", name);
        let queried = !matches!(panel.kind(), "text" | "alertlist");
        let targets = panel.targets();
        let asks = targets.is_empty() != queried;
        self.unless(asks, "panel-no-targets-rule", name);
        if queried {
            let mut all = [json].into_iter().chain(targets);
            let chosen = all.all(|place| place["datasource"]["uid"] == "$datasource");
            self.unless(chosen, "panel-datasource-rule", name);
            let unit = json.pointer("/fieldConfig/defaults/unit");
            let known = UNITS
                .split(' ')
                .any(|known| unit.is_some_and(|it| it == known));
            self.unless(known, "panel-units-rule", name);
        }
        for expression in panel.expressions() {
            let query = promql::read(expression);
            self.unless(query.is_ok(), "target-promql-rule", name);
            let selectors = query.unwrap_or_default().selectors;
            for selector in &selectors {
                let job = selector.matches("job", "$job");
                self.unless(job, "target-job-rule", name);
                let instance = selector.matches("instance", "$instance");
                self.unless(instance, "target-instance-rule", name);
                let interval = match selector.over {
                    Some(("rate", range)) => range == RATE_INTERVAL,
                    _ => true,
                };
                self.unless(interval, "target-rate-interval-rule", name);
                // The linter knows `rate` and `increase`, which extrapolate. A counter
                // less its own past, unless it was reset, is a whole number.
                let rises = matches!(selector.over, Some(("rate" | "increase" | "resets", _)));
                let mut same = selectors.iter().filter(|it| it.metric == selector.metric);
                let differs = same.any(|it| it.is_past);
                let bare = selector.metric.ends_with("_total") && !rises && !differs;
                self.unless(!bare, "target-counter-agg-rule", name);
            }
        }
    }
}

#[test]
fn every_dashboard_passes_the_linter() {
    for dashboard in Dashboard::all() {
        assert_eq!(Broken::of(&dashboard).0, []);
    }
}

/// Each rule, a place in the workshop's dashboard, and what breaks the rule there.
const BREAKING: &str = r#"
uneditable-dashboard /editable true
template-datasource-rule /templating/list/0/label "Source"
template-job-rule /templating/list/1/multi false
template-job-rule /templating/list/1/refresh 1
template-instance-rule /templating/list/2/allValue ".*"
template-label-promql-rule /templating/list/1/query "label_values(up{, job)"
panel-title-description-rule /panels/0/description ""
panel-no-targets-rule /panels/0/targets []
panel-datasource-rule /panels/0/datasource/uid "prometheus"
panel-datasource-rule /panels/0/targets/0/datasource/uid "prometheus"
panel-units-rule /panels/0/fieldConfig/defaults/unit "requests"
target-promql-rule /panels/0/targets/0/expr "min(up{job=~'$job', instance=~'$instance'}"
target-job-rule /panels/0/targets/0/expr "up{job='$job', instance=~'$instance'}"
target-instance-rule /panels/0/targets/0/expr "up{job=~'$job', instance=~'.+'}"
target-rate-interval-rule /panels/0/targets/0/expr "rate(a_total{job=~'$job', instance=~'$instance'}[5m])"
target-counter-agg-rule /panels/0/targets/0/expr "sum(a_total{job=~'$job', instance=~'$instance'})"
"#;

#[test]
fn a_panel_has_an_id_of_its_own_and_says_what_is_not_included() {
    for dashboard in Dashboard::all() {
        let panels = list(&dashboard.json, "/panels");
        let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64()).collect();
        assert_eq!(ids.len(), panels.len(), "{}", dashboard.name);
        for Panel { name, json } in dashboard.panels() {
            let description = string(&json, "/description");
            assert!(description.contains("Not included: "), "{name}");
        }
    }
}

/// Counts per second are not seconds, and a share is not a count.
#[test]
fn every_panel_has_the_unit_of_its_number() {
    for panel in panels() {
        let unit = panel.json.pointer("/fieldConfig/defaults/unit");
        let unit = unit.and_then(Value::as_str).unwrap_or_default();
        for expression in panel.expressions() {
            let ratio = expression.contains(" / ");
            let expected: &[&str] = match expression {
                it if it.contains("histogram_quantile") => &["s"],
                it if it.contains("_seconds_sum") && ratio => &["s"],
                it if it.contains("client_call_attempts") => &["none"],
                it if it.contains("client_retry_wait_seconds_bucket") => &["s"],
                _ if ratio => &["percentunit"],
                it if it.contains("_seconds_sum") => &["short"],
                it if it.starts_with("60 * ") => &["cpm"],
                it if it.contains("rate(") => &["cps", "reqps"],
                it if it.contains(" offset ") => &["short"],
                _ => &["bool_on_off", "none", "short"],
            };
            assert!(expected.contains(&unit), "{}: {unit}", panel.name);
        }
    }
}

#[test]
fn every_linter_rule_finds_its_mistake() {
    for line in BREAKING.trim().lines() {
        let (rule, rest) = line.split_once(' ').expect("a place");
        let (pointer, value) = rest.split_once(' ').expect("a value");
        let mut dashboard = Dashboard::named("workshop");
        let place = dashboard.json.pointer_mut(pointer).expect(pointer);
        *place = serde_json::from_str(value).expect("JSON");

        let broken = Broken::of(&dashboard);

        let rules: Vec<_> = broken.0.iter().map(|(rule, _)| *rule).collect();
        assert_eq!(rules, [rule], "{pointer}");
    }
}
