//! The recording and alert rules, and that each is told about and tested.

use client::telemetry::GiveUp;
use serde_json::Value;

use crate::{
    files::{self, list, string},
    promql::{self, Query},
};

const RULES: &str = "dashboards/prometheus/rules";
const CASES: &str = "dashboards/prometheus/tests";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RuleKind {
    Recording,
    Alert,
}

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) kind: RuleKind,
    pub(crate) name: String,
    pub(crate) expression: String,
    annotations: Value,
}

impl Rule {
    /// Every rule that Prometheus is given.
    pub(crate) fn all() -> Vec<Self> {
        let documents = documents(RULES);
        let groups = documents
            .iter()
            .flat_map(|document| list(document, "/groups"));
        groups
            .flat_map(|group| list(group, "/rules"))
            .map(Self::read)
            .collect()
    }

    fn read(rule: &Value) -> Self {
        let (kind, name) = match rule["record"].as_str() {
            Some(name) => (RuleKind::Recording, name),
            None => (RuleKind::Alert, string(rule, "/alert")),
        };
        Self {
            kind,
            name: name.to_owned(),
            expression: string(rule, "/expr").to_owned(),
            annotations: rule["annotations"].clone(),
        }
    }

    /// What it reads.
    pub(crate) fn query(&self) -> Query {
        promql::read(&self.expression).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

fn documents(folder: &str) -> Vec<Value> {
    let names = files::folder(folder, ".yml");
    let names = names
        .iter()
        .map(|file| file.file_name().expect("a name").to_string_lossy());
    names
        .map(|name| files::yaml(&format!("{folder}/{name}")))
        .collect()
}

fn cases() -> Vec<Value> {
    let documents = documents(CASES);
    documents
        .iter()
        .flat_map(|document| list(document, "/tests"))
        .cloned()
        .collect()
}

fn of_kind(kind: RuleKind) -> Vec<Rule> {
    let mut rules = Rule::all();
    rules.retain(|rule| rule.kind == kind);
    assert!(!rules.is_empty());
    rules
}

#[test]
fn each_alert_says_what_it_saw_what_that_means_and_what_to_do() {
    for alert in of_kind(RuleKind::Alert) {
        for annotation in ["summary", "description", "action"] {
            let said = alert.annotations[annotation].as_str().unwrap_or_default();
            assert!(said.len() > 15, "{} has no {annotation}", alert.name);
        }
    }
}

#[test]
fn an_alert_speaks_only_of_labels_that_it_has() {
    for alert in of_kind(RuleKind::Alert) {
        let query = alert.query();
        let recorded = of_kind(RuleKind::Recording);
        let kept = recorded
            .iter()
            .filter(|rule| {
                query
                    .selectors
                    .iter()
                    .any(|selector| selector.metric == rule.name)
            })
            .flat_map(|rule| rule.query().kept)
            .chain(query.kept)
            .chain(["job", "instance"].map(str::to_owned));
        let kept: Vec<_> = kept.collect();
        let said = alert.annotations.to_string();
        let in_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let named = said
            .split("$labels.")
            .skip(1)
            .map(|rest| rest.split(|char| !in_name(char)).next());
        for label in named.flatten() {
            assert!(
                kept.iter().any(|kept| kept == label),
                "{} has no {label}",
                alert.name
            );
        }
    }
}

#[test]
fn a_recorded_name_says_which_labels_are_left() {
    for rule in of_kind(RuleKind::Recording) {
        let (level, _) = rule.name.split_once(':').expect("level:metric:operation");
        let kept = rule.query().kept.join("_");
        let same = kept.split(level).all(|rest| rest.is_empty() || rest == "_");
        assert!(same, "{} keeps {kept}", rule.name);
    }
}

#[test]
fn each_recording_rule_has_a_case_with_something_and_one_with_nothing() {
    let cases = cases();
    for rule in of_kind(RuleKind::Recording) {
        let samples: Vec<_> = cases
            .iter()
            .flat_map(|case| list(case, "/promql_expr_test"))
            .filter(|test| test["expr"] == rule.name.as_str())
            .flat_map(|test| list(test, "/exp_samples"))
            .map(|sample| sample["value"].as_f64().expect("a number"))
            .collect();
        assert!(
            samples.iter().any(|value| *value > 0.0),
            "{}: {samples:?}",
            rule.name
        );
        assert!(samples.contains(&0.0), "{}: {samples:?}", rule.name);
    }
}

#[test]
fn each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() {
    let cases = cases();
    for alert in of_kind(RuleKind::Alert) {
        let firing: Vec<_> = cases
            .iter()
            .flat_map(|case| list(case, "/alert_rule_test"))
            .filter(|test| test["alertname"] == alert.name.as_str())
            .map(|test| !list(test, "/exp_alerts").is_empty())
            .collect();
        assert!(firing.contains(&true), "{} never fires", alert.name);
        assert!(firing.contains(&false), "{} always fires", alert.name);
    }
}

#[test]
fn there_is_advice_for_every_reason_to_give_up() {
    let alerts = of_kind(RuleKind::Alert);
    let rising = alerts.iter().find(|alert| alert.name == "GiveUpsRising");
    let rising = rising.expect("the alert");
    let action = string(&rising.annotations, "/action");
    let words: Vec<_> = action.split([' ', ':']).collect();

    for reason in GiveUp::ALL {
        assert!(words.contains(&reason.as_str()), "{}", reason.as_str());
    }
}
