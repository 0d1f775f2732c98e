//! The value of every panel, asked of a real Prometheus and compared with a count by hand:
//! while the lab runs, for a Prometheus that starts after the runs, and for a lab that has
//! stopped after a restart.
//!
//! `rate()` and `increase()` extrapolate the samples of a window to its end, by one interval
//! between scrapes at most. So they are at least the real increase, and for a counter that
//! began at zero they are too high by at most this interval divided by the scraped time.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::grafana::{
    dashboards::{Dashboard, panels, substituted},
    files::{list, string},
    prometheus::{Lab, Prometheus},
};

/// The window of every query, in seconds: it contains all samples.
const WINDOW: f64 = 300.0;

/// The runs, all with seed 1. The first three observe durations: a retry after 194 ms and
/// one after 276 ms.
const RUNS: &str = "\
lab scenario flaky --pace real
lab scenario retry-later --pace real
lab scenario create-job --pace real
lab scenario looping-items --pace virtual
lab scenario retry-budget --pace virtual
lab scenario too-many-requests --pace virtual
lab scenario retry-after-seconds --client naive --pace virtual
";

/// The title of a panel, and its series by their names in the legend, or that of the panel
/// if there is none. All others are 0, or NaN if they divide by it.
///
/// - `count`: this many events, or seconds of them, in the time shown.
/// - `rounded`: the same, rounded to a whole number.
/// - `whole`: exactly this many events since the lab started.
/// - `above`: at least this, and less than twice as much: it was waited for.
/// - `mean`: a share or a mean, which is exact.
/// - `under`: at least 0, and less than this: it depends on the speed of the machine.
const EXPECTED: &str = "\
Service | whole 1
Calls since the lab started | whole 27
Attempts since the lab started | whole 34
Retries since the lab started | whole 7
Give-ups since the lab started | whole 6
Which faults are served? | flaky: count 2 | retry_later: count 1 | looping_items: count 3 \
    | down: count 7 | too_many_requests: count 3 | busy: count 1
How do attempts end? | 200: count 20 | 201: count 1 | 429: count 3 | 503: count 10
Why is there another attempt? | 429: count 3 | 503: count 4
Why are calls given up? | retry_after_over_budget: count 1 | attempts_exhausted: count 1 \
    | retry_budget_empty: count 4
Succeeded only after a retry | rounded 4
Waiting, for each call | above 0.470/27
How do calls end? | ok at once: count 16 | ok after a retry: count 4 | http_error: count 6 \
    | contract_error: count 1
Do more calls succeed than attempts? | calls: mean 20/27 | attempts: mean 21/34
How long does a caller wait? | a call that succeeded: above 0.470/2 \
    | between attempts: above 0.470/27
How many requests does a call take? | 1: count 22 | 2: count 25 | 3: count 27 | 5: count 27 \
    | 10: count 27 | +Inf: count 27
Who chooses the wait? | backoff: count 7
How many calls wait at once? | backoff: above 0.470
How long is one wait? | 0.25: count 1 | 0.5: count 2 | 1: count 2 | 2.5: count 2 | 5: count 2 \
    | 10: count 2 | 30: count 2 | +Inf: count 2
How long does a request take? | /flaky: under 1 | /jobs: under 1
How often is each endpoint asked? | flaky: count 3 | retry_later: count 1 | create_job: count 1 \
    | looping_items: count 3 | down: count 7 | narrow: count 19
Who comes back too early? | /busy: count 1
Requests | count 5
Server errors | mean 3/5
Mean time to respond | under 1
Jobs created | rounded 1
Which routes are asked? | /flaky: count 3 | /retry-later: count 1 | /jobs: count 1
With which status does the service respond? | 200: count 1 | 201: count 1 | 503: count 3
Which routes respond with errors? | /flaky: count 2 | /retry-later: count 1
How long do responses take? | /flaky: under 1 | /retry-later: under 1 | /jobs: under 1
How slow are the slowest responses? | half: under 1 | 90 %: under 5 | 99 %: under 5
What becomes of job submissions? | created: count 1
";

/// The expected series of a panel, by their names in the legend.
fn expected(title: &str) -> BTreeMap<&str, &'static str> {
    let mut panels = EXPECTED.lines().map(|line| line.split(" | "));
    let panel = panels.find_map(|mut cells| (cells.next() == Some(title)).then_some(cells));
    let series = panel.unwrap_or_else(|| panic!("what does {title} show?"));
    let series = series.map(|cell| cell.split_once(": ").unwrap_or((title, cell)));
    series.collect()
}

/// Whether a value is the expected one; counts may be overstated by `tolerance`.
fn holds(expected: &str, value: f64, tolerance: f64) -> bool {
    let (kind, number) = expected.split_once(' ').expect("a kind and a number");
    let (number, divisor) = number.split_once('/').unwrap_or((number, "1"));
    let [number, divisor] = [number, divisor].map(|text| text.parse::<f64>().expect("a number"));
    let number = number / divisor;
    match kind {
        "count" => value >= number - 1e-6 && value <= number * (1.0 + tolerance) + 1e-6,
        "rounded" => {
            value.fract() == 0.0 && value >= number && value <= (number * (1.0 + tolerance)).round()
        }
        "whole" => value == number,
        "above" => value >= number && value < 2.0 * number,
        "mean" => (value - number).abs() <= 0.02 * number,
        "under" => value >= 0.0 && value < number,
        _ => panic!("there is no kind {kind}"),
    }
}

/// When a panel is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// After the runs, by a Prometheus that has read each counter at zero.
    AfterTheRuns,
    /// After the runs, by a Prometheus that started after them.
    TooLate,
    /// After the runs, a restart and the end of the lab.
    AfterTheLab,
    /// Without runs.
    Idle,
}

/// The series of a panel's target under their names in the legend.
async fn rendered_series(
    prometheus: &Prometheus,
    target: &Value,
    instance: &str,
) -> Vec<(String, f64)> {
    let expression = string(target, "/expr");
    let sent = substituted(expression, instance, &format!("{WINDOW}s"));
    let legend = string(target, "/legendFormat");
    let series = prometheus.series(&sent).await.into_iter();
    series
        .map(|(labels, value)| {
            let name = labels
                .iter()
                .fold(legend.to_owned(), |name, (label, text)| {
                    name.replace(&format!("{{{{{label}}}}}"), text)
                });
            (name, value)
        })
        .collect()
}

/// The panels that show something else than what was counted.
async fn unexpected(prometheus: &Prometheus, instance: &str, seen: Seen) -> Vec<String> {
    let tolerance = 1.1 / (prometheus.scraped(instance).await - 1.0);
    let mut wrong = Vec::new();
    for panel in panels() {
        if panel.targets().is_empty() {
            continue;
        }
        let title = string(&panel.json, "/title");
        let is_now = title == "Service" || title.ends_with("since the lab started");
        if is_now && seen == Seen::AfterTheLab {
            continue;
        }
        let mut expected = expected(title);
        let has_events = match seen {
            Seen::AfterTheRuns | Seen::AfterTheLab => true,
            Seen::TooLate => is_now,
            Seen::Idle => title == "Service",
        };
        if !has_events {
            expected.clear();
        }
        // A rate per second, times the window, is a number of events.
        let factor = match panel.unit() {
            "cps" | "reqps" => WINDOW,
            "cpm" => WINDOW / 60.0,
            _ if panel.kind() == "heatmap" || title == "How many calls wait at once?" => WINDOW,
            _ => 1.0,
        };
        let mut all = Vec::new();
        for target in panel.targets() {
            all.extend(rendered_series(prometheus, target, instance).await);
        }
        // A ratio leaves its line out while nothing happens.
        let is_ratio = |text: &str| text.contains(" / ") || text.contains("quantile");
        if all.is_empty() && !panel.expressions().any(is_ratio) {
            wrong.push(format!("{title}: no data"));
        }
        for (name, value) in all {
            let value = value * factor;
            let known = expected.remove(name.as_str());
            let right = match known {
                Some(known) => holds(known, value, tolerance),
                None => value == 0.0 || value.is_nan(),
            };
            if !right {
                wrong.push(format!("{title}: {name} is {value}, expected {known:?}"));
            }
        }
        let missing = expected.keys();
        wrong.extend(missing.map(|name| format!("{title}: there is no {name}")));
    }
    wrong
}

#[tokio::test]
#[ignore = "needs prometheus"]
async fn every_panel_shows_what_was_counted_by_hand() {
    let (busy, quiet) = (Lab::start().await, Lab::start().await);
    let labs = [&busy, &quiet];
    let prometheus = Prometheus::start(&labs, 2).await;
    prometheus.scrapes(&labs, 2.0).await;

    for line in RUNS.lines() {
        busy.run(&format!("{line} --seed 1 --live")).await;
    }
    prometheus.scrapes(&labs, 2.0).await;

    let mut wrong = unexpected(&prometheus, &busy.service, Seen::AfterTheRuns).await;
    wrong.extend(unexpected(&prometheus, &quiet.service, Seen::Idle).await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let titles = panels().into_iter();
    let titles: Vec<_> = titles.map(|panel| panel.json["title"].clone()).collect();
    for line in EXPECTED.lines() {
        let title = line.split(" | ").next().expect("a title");
        assert!(titles.contains(&title.into()), "no panel is called {title}");
    }
    for dashboard in Dashboard::all() {
        for variable in &dashboard.variables()[1..] {
            let query = string(variable, "/query");
            let inner = query.strip_prefix("label_values(").expect(query);
            let (selector, label) = inner.rsplit_once(", ").expect(query);
            let label = label.trim_end_matches(')');
            let selector = substituted(selector, ".+", "");
            let values = format!("count by ({label}) ({selector})");
            let values = prometheus.series(&values).await;
            let offered = values
                .iter()
                .filter(|(labels, _)| !labels.is_empty())
                .count();
            let least = if label == "job" { 1 } else { 2 };
            assert!(offered >= least, "{}: {query}: {values:?}", dashboard.name);
        }
    }
    let late = Prometheus::start(&labs, 2).await;
    late.scrapes(&labs, 3.0).await;
    let wrong = unexpected(&late, &busy.service, Seen::TooLate).await;
    assert!(wrong.is_empty(), "too late:\n{}", wrong.join("\n"));

    let instance = busy.service.clone();
    let again = Lab::at(&busy.stop().await).await;
    prometheus.scrapes(&[&again], 2.0).await;
    for dashboard in Dashboard::all() {
        for annotation in list(&dashboard.json, "/annotations/list") {
            if annotation["name"] == "Restarts" {
                let starts = substituted(string(annotation, "/expr"), &instance, "");
                let changes = format!("changes(({starts})[1h:2s])");
                assert_eq!(prometheus.value(&changes).await, 1.0, "{starts}");
            }
        }
    }
    again.stop().await;
    prometheus.scrapes(&[&quiet], 2.0).await;
    let wrong = unexpected(&prometheus, &instance, Seen::AfterTheLab).await;
    assert!(wrong.is_empty(), "after the lab:\n{}", wrong.join("\n"));
}
