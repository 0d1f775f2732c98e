//! Every expression of every dashboard, answered by a real Prometheus that
//! scrapes a real `lab serve`: with data while runs go on, and with zeros, rather
//! than with nothing, before the first and after the last.

use std::time::Duration;

use http::StatusCode;
use serde_json::json;
use server::{ServiceConfig, TeachingApi};
use tokio::time::{Instant, sleep};

use crate::{
    dashboards::Dashboard,
    linter::label_values,
    prometheus::{self, Lab, PATIENCE, Prometheus},
    promql,
    rules::{Rule, RuleKind},
};

/// What Grafana makes of `$__rate_interval` at one scrape a second: four scrapes,
/// and one more, since runs begin and end between them.
const RATE_INTERVAL: &str = "5s";
/// What it makes of `$__range` where five minutes are shown.
const RANGE: &str = "300s";

/// An expression and how it is asked.
struct Question {
    place: String,
    expression: String,
    /// Whether a graph asks, for many moments, or a single number.
    over_time: bool,
    /// Whether it answers 0 once nothing goes on.
    rests: bool,
}

/// What the panels ask, and what is recorded.
fn questions() -> Vec<Question> {
    let dashboards = Dashboard::all();
    let panels = dashboards.iter().flat_map(Dashboard::panels);
    let of_panels = panels.flat_map(|panel| {
        let place = panel.name();
        let targets = panel.targets().to_vec();
        targets.into_iter().map(move |target| {
            let text = target["expr"].as_str().expect("an expression");
            Question {
                place: place.clone(),
                expression: promql::substituted(text, RATE_INTERVAL, RANGE),
                over_time: target["range"] == true,
                rests: text.contains("[$__rate_interval]"),
            }
        })
    });
    let rules = Rule::all();
    let recorded = rules
        .into_iter()
        .filter(|rule| rule.kind == RuleKind::Recording);
    let of_rules = recorded.map(|rule| Question {
        place: "recording rule".to_owned(),
        expression: rule.name,
        over_time: false,
        rests: false,
    });
    of_panels.chain(of_rules).collect()
}

/// Asks all of it, and returns what is wrong with the answers.
async fn ask(prometheus: &Prometheus, fits: impl Fn(&Question, f64) -> bool) -> Vec<String> {
    let mut complaints = Vec::new();
    for question in questions() {
        let answer = if question.over_time {
            prometheus.lately(&question.expression).await
        } else {
            prometheus.now(&question.expression).await
        };
        let complaint = match answer {
            Ok(values) if values.is_empty() => "no data".to_owned(),
            Ok(values) if values.iter().all(|value| fits(&question, *value)) => continue,
            Ok(values) => format!("{values:?}"),
            Err(error) => error,
        };
        complaints.push(format!(
            "{}: {}: {complaint}",
            question.place, question.expression
        ));
    }
    complaints
}

/// Asks again and again until nothing is wrong with the answers.
async fn until_right(prometheus: &Prometheus, fits: impl Fn(&Question, f64) -> bool + Copy) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let complaints = ask(prometheus, fits).await;
        if complaints.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "{}", complaints.join("\n"));
        sleep(Duration::from_millis(200)).await;
    }
}

/// Waits until Prometheus has seen what only some of the scenarios do.
async fn until_played(prometheus: &Prometheus) {
    let deadline = Instant::now() + PATIENCE;
    for metric in [
        "client_cursor_loops_total",
        r#"service_jobs_total{result="replayed"}"#,
        r#"client_give_ups_total{reason="retry_budget_empty"}"#,
    ] {
        let seen = format!("sum({metric}) > 0");
        while prometheus
            .now(&seen)
            .await
            .expect("an expression")
            .is_empty()
        {
            assert!(Instant::now() < deadline, "{metric} is still 0");
            sleep(Duration::from_millis(200)).await;
        }
    }
}

#[tokio::test]
#[ignore = "needs prometheus"]
async fn every_expression_is_answered_by_a_prometheus_that_scrapes_the_lab() {
    let lab = Lab::start().await;
    let prometheus = Prometheus::start(&lab.service).await;
    let at_rest =
        |question: &Question, value: f64| value.is_finite() && (value == 0.0 || !question.rests);

    until_right(&prometheus, at_rest).await;
    let load = lab.load();
    until_played(&prometheus).await;
    until_right(&prometheus, |_, value| value.is_finite()).await;
    // The lab ends a load that nobody reads.
    drop(load);
    until_right(&prometheus, at_rest).await;

    for dashboard in Dashboard::all() {
        for variable in dashboard.queried_variables() {
            let (selector, label) =
                label_values(variable["query"].as_str().expect("a query")).expect("label_values");
            let selector = promql::substituted(selector, RATE_INTERVAL, RANGE);
            let values = prometheus.label_values(label, &selector).await;
            let expected = if label == "job" {
                "lab"
            } else {
                lab.service.as_str()
            };
            assert_eq!(
                values,
                Ok(vec![expected.to_owned()]),
                "{}: {selector}",
                dashboard.name
            );
        }
    }
    for rule in Rule::all() {
        let fared = prometheus.rules().await[&rule.name].clone();
        assert_eq!(fared, json!(["ok", null]), "{}", rule.name);
    }
}

#[tokio::test]
async fn a_lab_that_has_run_nothing_shows_every_metric() {
    let lab = Lab::start().await;

    let url = format!("http://{}/metrics", lab.service);
    let answer = prometheus::http().get(url).send().await.expect("an answer");
    let scrape = answer.text().await.expect("text");

    let client = client::telemetry::METRICS.map(|metric| metric.name);
    let service = server::telemetry::METRICS.map(|metric| metric.name);
    for name in client.iter().chain(&service) {
        let sampled = scrape.lines().any(|line| line.starts_with(name));
        assert!(sampled, "there is no {name}");
    }
}

#[tokio::test]
async fn a_scrape_under_the_name_that_docker_desktop_uses_is_answered() {
    let config = ServiceConfig::builder().port(0).build().expect("legal");
    let service = TeachingApi::start(config).expect("a service");

    let answer = prometheus::http()
        .get(format!("{}/metrics", service.base_url()))
        .header("host", "host.docker.internal:8765")
        .send()
        .await
        .expect("an answer");

    assert_eq!(answer.status(), StatusCode::OK);
    // Prometheus 3 refuses what does not say that it is in its format.
    let format = &answer.headers()["content-type"];
    assert!(
        format
            .to_str()
            .expect("text")
            .starts_with("text/plain; version=0.0.4")
    );
    service.stop().await.expect("nothing left behind");
}
