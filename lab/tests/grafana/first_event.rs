//! A real Prometheus sees the first event of every series: in each counter, in each
//! alert, and in each panel.
//!
//! `increase()` extrapolates the samples of a window to its end, by one interval between
//! scrapes at most. So it is at least the real increase, and for a counter that began at
//! zero it is too high by at most this interval divided by the scraped time.

use std::{
    collections::{BTreeMap, BTreeSet},
    slice::from_ref,
    time::Duration,
};

use futures_util::future::join_all;
use scenario::{Naive, Pace, Reliable, Run, catalogue::CATALOGUE};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{
    bad_requests::{self, FAULTS, REJECTED_JOBS},
    dashboards::Dashboard,
    expected_panels::{self, holds},
    files::string,
    fresh_lab::{FreshLab, no_lab},
    prometheus::{PATIENCE, Prometheus},
    promql::substituted,
    rules::Rule,
};

/// The window of every query: it contains all samples.
const WINDOW: f64 = 300.0;

/// How often Prometheus has scraped each instance successfully.
async fn scrapes(prometheus: &Prometheus) -> BTreeMap<String, f64> {
    let series = prometheus.series("sum_over_time(up[5m])").await;
    let counts = series.into_iter();
    counts
        .map(|(labels, count)| (labels["instance"].clone(), count))
        .collect()
}

/// Waits until each of the labs has been scraped this many times more.
async fn until_scraped(prometheus: &Prometheus, labs: &[String], times: f64) {
    let before = scrapes(prometheus).await;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let now = scrapes(prometheus).await;
        let scraped = labs.iter().all(|lab| {
            let [now, before] = [&now, &before].map(|counts| counts.get(lab).unwrap_or(&0.0));
            *now >= before + times
        });
        if scraped {
            return;
        }
        assert!(Instant::now() < deadline, "{now:?} after {before:?}");
        sleep(Duration::from_millis(200)).await;
    }
}

/// By how much an increase may be overstated: one of the intervals between the samples,
/// and a tenth of an interval.
async fn extrapolation(prometheus: &Prometheus, lab: &FreshLab) -> f64 {
    let intervals = scrapes(prometheus).await[&lab.instance()] - 1.0;
    1.1 / intervals
}

/// The counters of a scrape, with their labels.
fn counters(scrape: &str) -> BTreeSet<&str> {
    let samples = scrape.lines().filter(|line| !line.starts_with('#'));
    samples
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .filter(|series| series.contains("_total{"))
        .collect()
}

/// The families of counters whose sum in Prometheus is not that of the runs.
async fn unequal(
    prometheus: &Prometheus,
    course: &FreshLab,
    runs: &[Run],
    responses: usize,
) -> Vec<String> {
    let mut truth = BTreeMap::from([(
        "http_server_request_duration_seconds_count".to_owned(),
        responses as u64,
    )]);
    for counter in runs.iter().flat_map(|run| run.counters.iter()) {
        *truth.entry(counter.name.clone()).or_default() += counter.value;
    }
    // The bad requests create no job: those that reach the handler are rejected.
    *truth.entry("service_jobs_total".to_owned()).or_default() += REJECTED_JOBS;
    *truth.entry("service_faults_total".to_owned()).or_default() += FAULTS;

    let mut wrong = Vec::new();
    for (name, expected) in truth {
        let sum = format!("sum({name}{{instance=\"{}\"}})", course.instance());
        let seen = prometheus.now(&sum).await.expect("a result");
        if seen != [expected as f64] {
            wrong.push(format!(
                "{name}: the runs say {expected}, Prometheus {seen:?}"
            ));
        }
    }
    wrong
}

/// The firing alerts, with their instances.
pub(crate) async fn firing(prometheus: &Prometheus) -> BTreeSet<(String, String)> {
    let fire = prometheus.series(r#"ALERTS{alertstate="firing"}"#).await;
    let labels = fire.into_iter().map(|(labels, _)| labels);
    labels
        .map(|it| (it["alertname"].clone(), it["instance"].clone()))
        .collect()
}

/// The values of a panel's target: each series under its name in the legend.
async fn shown(
    prometheus: &Prometheus,
    target: &serde_json::Value,
    lab: &FreshLab,
    factor: f64,
) -> BTreeMap<String, f64> {
    let window = format!("{WINDOW}s");
    let expression = string(target, "/expr").replace("$instance", &lab.instance());
    let series = prometheus
        .series(&substituted(&expression, &window, &window))
        .await;
    let legend = string(target, "/legendFormat");
    series
        .into_iter()
        .map(|(labels, value)| {
            let name = labels
                .iter()
                .fold(legend.to_owned(), |name, (label, value)| {
                    name.replace(&format!("{{{{{label}}}}}"), value)
                });
            (name, value * factor)
        })
        .collect()
}

/// The panels that do not show the expected values for a lab: those after three events, or
/// zeros, rather than nothing, if nothing happened.
async fn unexpected(prometheus: &Prometheus, lab: &FreshLab, happened: bool) -> Vec<String> {
    let tolerance = extrapolation(prometheus, lab).await;
    let mut wrong = Vec::new();
    let mut asked = 0;
    for dashboard in Dashboard::all() {
        for panel in dashboard.panels() {
            if panel.targets().is_empty() {
                continue;
            }
            asked += 1;
            let title = string(&panel.json, "/title");
            let mut expected = expected_panels::series(title);
            expected.retain(|name, _| happened || *name == "Service");
            let unit = string(&panel.json, "/fieldConfig/defaults/unit");
            let summed = string(&panel.targets()[0], "/expr").contains("_seconds_sum");
            let per_second = unit == "cps" || unit == "reqps" || panel.kind() == "heatmap";
            let factor = match unit {
                "cpm" => WINDOW / 60.0,
                _ if per_second || (unit == "short" && summed) => WINDOW,
                _ => 1.0,
            };
            let mut all = BTreeMap::new();
            for target in panel.targets() {
                all.extend(shown(prometheus, target, lab, factor).await);
            }
            // A ratio leaves its line out while nothing happens.
            let is_ratio = |text: &str| text.contains(" / ") || text.contains("quantile");
            if all.is_empty() && !panel.expressions().any(is_ratio) {
                wrong.push(format!("{title}: no data"));
            }
            for (name, value) in &all {
                let known = expected.remove(name.as_str());
                let right = match known {
                    Some(known) => holds(known, *value, tolerance),
                    None => *value == 0.0 || value.is_nan(),
                };
                if !right {
                    wrong.push(format!("{title}: {name} is {value}, expected {known:?}"));
                }
            }
            let missing = expected.keys();
            wrong.extend(missing.map(|name| format!("{title}: there is no {name}")));
        }
    }

    assert!(
        asked >= expected_panels::panels(),
        "there are panels that are no more"
    );
    wrong
}

/// The rules that Prometheus cannot evaluate or that have no result, and the variables of
/// the dashboards without all values that Grafana could offer.
async fn unusable(prometheus: &Prometheus, labs: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let health = prometheus.rules().await;
    for Rule { name, .. } in Rule::all() {
        if health[&name] != json!(["ok", null]) {
            wrong.push(format!("{name}: {}", health[&name]));
        }
    }
    for Rule { name, .. } in Rule::recording() {
        if prometheus.series(&name).await.is_empty() {
            wrong.push(format!("{name}: no data"));
        }
    }
    let labs: BTreeSet<_> = labs.iter().map(String::as_str).collect();
    for dashboard in Dashboard::all() {
        for (selector, label) in dashboard.queried_variables() {
            let selector = substituted(selector, "", "");
            let found = prometheus
                .series(&format!("count by ({label}) ({selector})"))
                .await;
            let found: BTreeSet<_> = found.iter().map(|(labels, _)| &*labels[label]).collect();
            let complete = match label {
                "job" => found == BTreeSet::from(["lab"]),
                _ => found.is_superset(&labs),
            };
            if !complete {
                wrong.push(format!("{}: {selector}: {found:?}", dashboard.name));
            }
        }
    }
    wrong
}

#[tokio::test]
#[ignore = "needs prometheus"]
async fn prometheus_sees_the_first_event_of_every_metric() {
    let [course, quiet, repeats, comes_early, three_events] =
        std::array::from_fn(|_| FreshLab::start());
    let labs = [&course, &quiet, &repeats, &comes_early, &three_events].map(FreshLab::instance);
    let nobody = no_lab();
    let targets = [&labs[..], from_ref(&nobody)].concat();
    let prometheus = Prometheus::start(&targets, 2).await;
    until_scraped(&prometheus, &labs, 2.0).await;

    let before = course.scrape().await;
    // Real time for the service's requests, whose counts are those of a duration.
    let all = CATALOGUE.iter().map(|scenario| scenario.words.name);
    let runs = all.map(|name| course.run_scenario(name, &Reliable, Pace::Real));
    let runs = join_all(runs).await;
    let responses = runs.iter().flat_map(|run| &run.wire.entries);
    let responses = responses.filter(|it| it.status.is_some()).count();
    let responses = responses + bad_requests::send(course.address()).await;
    repeats
        .run_scenario("flaky", &Reliable, Pace::Virtual)
        .await;
    comes_early
        .run_scenario("retry-after-seconds", &Naive, Pace::Virtual)
        .await;
    for scenario in ["flaky", "retry-later", "create-job"] {
        three_events
            .run_scenario(scenario, &Reliable, Pace::Real)
            .await;
    }
    until_scraped(&prometheus, &labs, 2.0).await;

    // `increase()` misses the first event of a series that is born with it.
    let after = course.scrape().await;
    let (before, after) = (counters(&before), counters(&after));
    let born: Vec<_> = after.difference(&before).collect();
    assert_eq!(born, [&""; 0]);
    assert!(before.len() > 1_000, "{}", before.len());
    let mut wrong = unequal(&prometheus, &course, &runs, responses).await;
    wrong.extend(unexpected(&prometheus, &three_events, true).await);
    wrong.extend(unexpected(&prometheus, &quiet, false).await);
    wrong.extend(unusable(&prometheus, &labs).await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let expected = BTreeSet::from(
        [
            ("RetryAmplificationHigh", repeats.instance()),
            ("EarlyRetries", comes_early.instance()),
            ("ServiceDown", nobody),
        ]
        .map(|(alert, instance)| (alert.to_owned(), instance)),
    );
    // The runs of these two labs trigger several alerts.
    let others = [course.instance(), three_events.instance()];
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut fire = firing(&prometheus).await;
        fire.retain(|(_, instance)| !others.contains(instance));
        if fire == expected {
            break;
        }
        assert!(Instant::now() < deadline, "{fire:#?} for {expected:#?}");
        sleep(Duration::from_millis(500)).await;
    }
}
