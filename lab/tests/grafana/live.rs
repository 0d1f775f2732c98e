//! Every expression of every dashboard has a result in a real Prometheus that
//! scrapes a real `lab serve`: data while runs go on, and zeros, rather than
//! nothing, before the first and after the last.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{
    dashboards::{Dashboard, panels},
    files::string,
    prometheus::{Lab, PATIENCE, Prometheus},
    promql::substituted,
    rules::Rule,
};

/// Grafana's value of `$__rate_interval` at one scrape a second: four scrapes, and one
/// more, because runs begin and end between them.
const RATE_INTERVAL: &str = "5s";
/// Grafana's value of `$__range` if five minutes are shown.
const RANGE: &str = "300s";

/// An expression and how to evaluate it.
struct Question {
    place: String,
    expression: String,
    /// Whether it is for a graph, over a range of time, or for a single number.
    over_time: bool,
    /// Whether its result is 0 after all runs have ended.
    rests: bool,
    /// Whether it may divide zero by zero, which gives NaN.
    is_ratio: bool,
}

/// The expressions of the panels and of the recording rules.
fn questions() -> Vec<Question> {
    let mut all = Vec::new();
    for panel in panels() {
        all.extend(panel.targets().iter().map(|target| {
            let text = string(target, "/expr");
            Question {
                place: panel.name.clone(),
                expression: substituted(text, RATE_INTERVAL, RANGE),
                over_time: target["range"] == true,
                rests: text.contains("[$__rate_interval]"),
                is_ratio: text.contains(" / ") || text.contains("quantile"),
            }
        }));
    }
    all.extend(Rule::recording().into_iter().map(|rule| Question {
        place: "recording rule".to_owned(),
        expression: rule.name,
        over_time: false,
        rests: false,
        is_ratio: false,
    }));
    all
}

/// Evaluates all expressions, and returns the wrong results.
async fn complaints(
    prometheus: &Prometheus,
    fits: impl Fn(&Question, &[f64]) -> bool,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for question in questions() {
        let Question {
            place, expression, ..
        } = &question;
        let result = match question.over_time {
            true => prometheus.lately(expression).await,
            false => prometheus.now(expression).await,
        };
        let complaint = match result {
            Ok(values) if fits(&question, &values) => continue,
            Ok(values) if values.is_empty() => "no data".to_owned(),
            Ok(values) => format!("{values:?}"),
            Err(error) => error,
        };
        complaints.push(format!("{place}: {expression}: {complaint}"));
    }
    complaints
}

/// Evaluates repeatedly until no result is wrong.
async fn until_right(prometheus: &Prometheus, fits: impl Fn(&Question, &[f64]) -> bool + Copy) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let complaints = complaints(prometheus, fits).await;
        if complaints.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "{}", complaints.join("\n"));
        sleep(Duration::from_millis(200)).await;
    }
}

/// Waits until Prometheus has seen the effects of rare scenarios.
async fn until_run(prometheus: &Prometheus) {
    let deadline = Instant::now() + PATIENCE;
    for metric in [
        "client_cursor_loops_total",
        r#"service_jobs_total{result="replayed"}"#,
        r#"client_give_ups_total{reason="retry_budget_empty"}"#,
    ] {
        let seen = format!("sum({metric}) > 0");
        while prometheus.now(&seen).await == Ok(Vec::new()) {
            assert!(Instant::now() < deadline, "{metric} is still 0");
            sleep(Duration::from_millis(200)).await;
        }
    }
}

#[tokio::test]
#[ignore = "needs prometheus"]
async fn every_expression_has_a_result_in_a_real_prometheus() {
    let lab = Lab::start().await;
    let prometheus = Prometheus::start(std::slice::from_ref(&lab.service), 1).await;
    let at_rest = |question: &Question, values: &[f64]| {
        let nothing = |value: &f64| match question.is_ratio {
            true => value.is_nan() || !question.rests,
            false => value.is_finite() && (*value == 0.0 || !question.rests),
        };
        // A ratio over time leaves its line out while nothing happens.
        let may_be_absent = question.is_ratio && question.rests;
        (may_be_absent || !values.is_empty()) && values.iter().all(nothing)
    };
    let moving = |question: &Question, values: &[f64]| {
        let numbers = values.iter().filter(|value| value.is_finite()).count();
        numbers > 0 && (numbers == values.len() || question.is_ratio)
    };

    until_right(&prometheus, at_rest).await;
    let load = lab.load();
    until_run(&prometheus).await;
    until_right(&prometheus, moving).await;
    for alert in Rule::alerts() {
        let values = prometheus.now(&alert.expression).await;
        assert_eq!(values, Ok(Vec::new()), "{} in a healthy load", alert.name);
    }
    // The lab ends a load without a reader.
    drop(load);
    until_right(&prometheus, at_rest).await;

    for dashboard in Dashboard::all() {
        for (selector, label) in dashboard.queried_variables() {
            let selector = substituted(selector, RATE_INTERVAL, RANGE);
            let values = prometheus.label_values(label, &selector).await;
            let expected = if label == "job" { "lab" } else { &lab.service };
            assert_eq!(
                values,
                Ok(vec![expected.to_owned()]),
                "{}: {selector}",
                dashboard.name
            );
        }
    }
    let fared = prometheus.rules().await;
    for rule in Rule::all() {
        assert_eq!(fared[&rule.name], json!(["ok", null]), "{}", rule.name);
    }
}
