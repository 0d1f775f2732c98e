//! The numbers of the panels during a load, beside the counters of the lab itself.

use std::{collections::BTreeMap, env};

use serde_json::Value;
use tokio::time::{Duration, Instant, sleep};

use crate::{
    dashboards::panels,
    files::string,
    prometheus::{self, Lab, Prometheus},
    promql::substituted,
};

/// The shipped interval between two scrapes, in seconds.
const SCRAPE: u8 = 5;
/// The step of a graph over a few minutes, in seconds, and the `$__rate_interval` that
/// Grafana makes of it. A step as long as the interval would miss up to two seconds of the
/// load at each of its ends.
const STEP: f64 = 5.0;
const RATE_INTERVAL: &str = "20s";
/// The time shown: longer than the test.
const RANGE: &str = "3600s";

/// The value of each series of the lab.
async fn scrape(lab: &Lab) -> BTreeMap<String, f64> {
    let url = format!("http://{}/metrics", lab.service);
    let response = prometheus::http().get(url).send().await;
    let text = response.expect("a response").text().await.expect("text");
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let samples = samples.filter_map(|line| line.rsplit_once(' '));
    samples
        .map(|(series, value)| (series.to_owned(), value.parse().expect("a number")))
        .collect()
}

/// How much a family rose, over all its labels.
fn rise(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>, family: &str) -> f64 {
    let name = format!("{family}{{");
    let series = after.iter().filter(|(series, _)| series.starts_with(&name));
    series
        .map(|(series, value)| value - before.get(series).unwrap_or(&0.0))
        .sum()
}

/// The stats of whole numbers: their expressions, each with its family.
fn whole_numbers() -> Vec<(String, String)> {
    let stats = panels().into_iter().filter(|panel| panel.kind() == "stat");
    let targets = stats.flat_map(|panel| panel.targets().to_vec());
    let texts = targets.map(|target: Value| string(&target, "/expr").to_owned());
    texts
        .filter(|text| text.contains(" offset ") && !text.contains(" / "))
        .filter(|text| !text.contains("retried=") && !text.contains("result="))
        .map(|text| {
            let family = text.trim_start_matches("sum((").split('{').next();
            let family = family.expect("a metric").to_owned();
            (substituted(&text, RATE_INTERVAL, RANGE), family)
        })
        .collect()
}

/// The bounds of the bucket that holds a quantile, from the buckets of all series.
fn bucket(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>, share: f64) -> (f64, f64) {
    let family = "http_server_request_duration_seconds_bucket{";
    let mut buckets = BTreeMap::<u64, f64>::new();
    for (series, value) in after
        .iter()
        .filter(|(series, _)| series.starts_with(family))
    {
        let (_, bound) = series.split_once("le=\"").expect("a bound");
        let bound: f64 = bound
            .trim_end_matches("\"}")
            .parse()
            .unwrap_or(f64::INFINITY);
        // The bits of a positive number are in its order.
        *buckets.entry(bound.to_bits()).or_default() += value - before[series];
    }
    let total = buckets.values().copied().fold(0.0, f64::max);
    let mut low = 0.0;
    for (bound, count) in buckets {
        let bound = f64::from_bits(bound);
        if count >= share * total {
            return (low, bound);
        }
        low = bound;
    }
    panic!("no bucket holds {share}");
}

/// It takes `LOAD_SECONDS`, by default two minutes.
#[tokio::test]
#[ignore = "needs prometheus"]
#[expect(clippy::print_stderr, reason = "the figures are worth reading")]
async fn panels_are_right_during_a_load() {
    let seconds = env::var("LOAD_SECONDS").ok();
    let seconds = seconds.map_or(120, |text| text.parse().expect("a number"));
    let lab = Lab::start().await;
    let prometheus = Prometheus::start(std::slice::from_ref(&lab.service), SCRAPE).await;
    let started = Instant::now();
    while prometheus
        .now("client_calls_total")
        .await
        .is_ok_and(|it| it.is_empty())
    {
        assert!(started.elapsed() < prometheus::PATIENCE, "no scrape");
        sleep(Duration::from_millis(200)).await;
    }
    let before = scrape(&lab).await;
    let begin = prometheus.now("vector(time())").await.expect("the time")[0];

    let stats = whole_numbers();
    assert!(stats.len() > 2, "{stats:?}");
    let load = lab.load();
    let load_began = Instant::now();
    while load_began.elapsed() < Duration::from_secs(30) {
        for (expression, family) in &stats {
            let shown = prometheus.now(expression).await.expect("a result");
            let truth = rise(&before, &scrape(&lab).await, family);
            for value in shown {
                assert!(
                    value.fract() == 0.0 && value <= truth,
                    "{family}: {value} of {truth}"
                );
            }
        }
        sleep(Duration::from_secs(1)).await;
    }
    sleep(Duration::from_secs(seconds).saturating_sub(load_began.elapsed())).await;
    // The lab ends a load without a reader. The last runs end, and are scraped.
    drop(load);
    sleep(Duration::from_secs(40)).await;
    let after = scrape(&lab).await;

    let end = prometheus.now("vector(time())").await.expect("the time")[0];
    let mut wrong = Vec::new();
    for (expression, family) in &stats {
        let (shown, truth) = (
            prometheus.now(expression).await,
            rise(&before, &after, family),
        );
        if shown != Ok(vec![truth]) {
            wrong.push(format!("{family}: {shown:?} for {truth}"));
        }
    }
    for family in [
        "client_calls_total",
        "client_attempts_total",
        "client_retries_total",
        "client_give_ups_total",
        "service_faults_total",
        "http_server_request_duration_seconds_count",
    ] {
        let rate = format!("sum(rate({family}[{RATE_INTERVAL}]))");
        let drawn = prometheus
            .between(&rate, begin, end, STEP)
            .await
            .expect("a result");
        let (area, truth) = (
            drawn.iter().sum::<f64>() * STEP,
            rise(&before, &after, family),
        );
        eprintln!("{family}: {area:.1} drawn for {truth}");
        // Prometheus assumes no rise before a counter's first sample above zero, so of
        // counters that begin at zero it leaves out up to half an interval.
        let left_out = truth / seconds as f64 * f64::from(SCRAPE) / 2.0;
        if truth < 20.0 || (area - truth).abs() > 0.02 * truth + left_out {
            wrong.push(format!("{family}: {area} drawn for {truth}"));
        }
    }
    for share in [0.5, 0.9, 0.99] {
        let window = (end - begin).ceil();
        let quantile = format!(
            "histogram_quantile({share}, sum by (le) \
             (increase(http_server_request_duration_seconds_bucket[{window}s])))"
        );
        let shown = prometheus.now(&quantile).await.expect("a result")[0];
        let (low, high) = bucket(&before, &after, share);
        eprintln!("quantile {share}: {shown} in {low}..{high}");
        // Prometheus names the last bound for a value beyond it.
        if !(low <= shown && shown <= high) {
            wrong.push(format!("quantile {share}: {shown} is not in {low}..{high}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
