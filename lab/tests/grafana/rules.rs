//! The recording and alert rules: each has documentation and tests.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::{
    files::{self, list},
    promql::{self, Query},
};

pub(crate) const RULES: &str = "dashboards/prometheus/rules";
pub(crate) const CASES: &str = "dashboards/prometheus/tests";

/// One rule.
#[derive(Debug, Deserialize)]
pub(crate) struct Rule {
    #[serde(alias = "record", alias = "alert")]
    pub(crate) name: String,
    #[serde(rename = "expr")]
    pub(crate) expression: String,
    #[serde(default)]
    pub(crate) annotations: BTreeMap<String, String>,
}

impl Rule {
    /// The rules that have this field, `record` or `alert`.
    fn with(field: &str) -> Vec<Self> {
        let groups = under(RULES, "/groups");
        let rules = groups.iter().flat_map(|group| list(group, "/rules"));
        let rules = rules.filter(|rule| rule[field].is_string()).cloned();
        let rules: Vec<_> = rules
            .map(|rule| serde_json::from_value(rule).expect("a rule"))
            .collect();
        assert!(!rules.is_empty());
        rules
    }

    pub(crate) fn recording() -> Vec<Self> {
        Self::with("record")
    }

    pub(crate) fn alerts() -> Vec<Self> {
        Self::with("alert")
    }

    /// All rules of Prometheus.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Self::recording();
        all.extend(Self::alerts());
        all
    }

    /// The metrics that it reads.
    pub(crate) fn query(&self) -> Query {
        promql::read(&self.expression).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// The values at a pointer in each file of a folder, together.
fn under(folder: &str, pointer: &str) -> Vec<Value> {
    let files = files::folder(folder, ".yml");
    let lists = files
        .iter()
        .map(|file| list(&files::yaml(file), pointer).to_vec());
    lists.flatten().collect()
}

/// The tests of this kind in the cases for `promtool test rules`.
fn tests(kind: &str) -> Vec<Value> {
    let cases = under(CASES, "/tests");
    cases
        .iter()
        .flat_map(|case| list(case, kind))
        .cloned()
        .collect()
}

#[test]
fn each_alert_has_a_summary_a_description_and_an_action() {
    for alert in Rule::alerts() {
        for annotation in ["summary", "description", "action"] {
            let said = alert.annotations.get(annotation).map_or(0, String::len);
            assert!(said > 15, "{} has no {annotation}", alert.name);
        }
    }
}

#[test]
fn an_alert_uses_only_labels_that_it_has() {
    let recording = Rule::recording();
    for alert in Rule::alerts() {
        let Query {
            selectors,
            mut kept,
        } = alert.query();
        kept.extend(["job", "instance"].map(str::to_owned));
        for rule in &recording {
            if selectors
                .iter()
                .any(|selector| selector.metric == rule.name)
            {
                kept.extend(rule.query().kept);
            }
        }
        let in_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        for text in alert.annotations.values() {
            let named = text.split("$labels.").skip(1);
            for label in named.filter_map(|rest| rest.split(|char| !in_name(char)).next()) {
                assert!(
                    kept.iter().any(|it| it == label),
                    "{} has no {label}",
                    alert.name
                );
            }
        }
    }
}

#[test]
fn a_recorded_name_says_which_labels_are_left() {
    for rule in Rule::recording() {
        let (level, _) = rule.name.split_once(':').expect("level:metric:operation");
        let kept = rule.query().kept.join("_");
        let same = kept.split(level).all(|rest| rest.is_empty() || rest == "_");
        assert!(same, "{} keeps {kept}", rule.name);
    }
}

#[test]
fn each_recording_rule_has_a_case_with_data_and_one_without() {
    let tests = tests("/promql_expr_test");
    for Rule { name, .. } in Rule::recording() {
        let own = tests.iter().filter(|test| test["expr"] == name);
        let samples = own.flat_map(|test| list(test, "/exp_samples"));
        let samples: Vec<_> = samples.map(|sample| sample["value"].as_f64()).collect();

        assert!(
            samples.iter().any(|value| *value > Some(0.0)),
            "{name}: {samples:?}"
        );
        assert!(samples.contains(&Some(0.0)), "{name}: {samples:?}");
    }
}

#[test]
fn each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() {
    let tests = tests("/alert_rule_test");
    for Rule { name, .. } in Rule::alerts() {
        let own = tests.iter().filter(|test| test["alertname"] == name);
        let firing: Vec<_> = own
            .map(|test| !list(test, "/exp_alerts").is_empty())
            .collect();

        assert!(firing.contains(&true), "{name} never fires");
        assert!(firing.contains(&false), "{name} always fires");
    }
}
