//! The whole numbers on the dashboards during a load, compared with the lab's own counters.

use std::{collections::BTreeMap, env, slice::from_ref, time::Duration};

use tokio::time::{Instant, sleep};

use crate::{
    dashboards::panels,
    files::string,
    prometheus::{Lab, Prometheus, http},
    promql::substituted,
};

/// The shipped interval between two scrapes, in seconds.
const SCRAPE: u8 = 5;

/// The totals of the lab's counters, over all labels.
async fn totals(lab: &Lab) -> BTreeMap<String, f64> {
    let response = http().get(format!("http://{}/metrics", lab.service)).send();
    let response = response.await.expect("a response");
    let text = response.text().await.expect("text");
    let mut totals = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').expect("a sample");
        let name = series.split('{').next().unwrap_or_default();
        *totals.entry(name.to_owned()).or_default() += value.parse::<f64>().expect("a number");
    }
    totals
}

/// The expressions of the stats that show whole numbers, each with its metric.
fn whole_numbers() -> Vec<(String, String)> {
    let stats = panels().into_iter().filter(|panel| panel.kind() == "stat");
    let targets = stats.flat_map(|panel| panel.targets().to_vec());
    let texts = targets.map(|target| string(&target, "/expr").to_owned());
    let is_whole = |text: &String| {
        let is_part = ["retried=", "result=", " / "]
            .iter()
            .any(|it| text.contains(it));
        text.contains(" offset ") && !is_part
    };
    let wholes = texts.filter(is_whole).map(|text| {
        let metric = text.trim_start_matches("sum((").split('{').next();
        let metric = metric.expect("a metric").to_owned();
        (substituted(&text, "20s", "3600s"), metric)
    });
    wholes.collect()
}

/// It takes `LOAD_SECONDS`, by default one minute.
#[tokio::test]
#[ignore = "needs prometheus"]
async fn whole_numbers_are_never_above_the_counters_and_equal_them_after_a_load() {
    let seconds = env::var("LOAD_SECONDS").map_or(60, |text| text.parse().expect("a number"));
    let lab = Lab::start().await;
    let prometheus = Prometheus::start(from_ref(&lab.service), SCRAPE).await;
    let stats = whole_numbers();
    assert!(stats.len() > 2, "{stats:?}");

    let began = Instant::now();
    let load = lab.command("lab load --seconds 600 --rate 20 --seed 1");
    while began.elapsed() < Duration::from_secs(seconds) {
        for (expression, metric) in &stats {
            let shown = prometheus.now(expression).await.expect("a result");
            let counted = totals(&lab).await[metric];
            for value in shown {
                let is_true = value.fract() == 0.0 && value <= counted;
                assert!(is_true, "{metric}: {value} of {counted}");
            }
        }
        sleep(Duration::from_secs(1)).await;
    }
    // The lab ends a load without a reader. The last runs end, and are scraped.
    drop(load);
    sleep(Duration::from_secs(40)).await;

    let counted = totals(&lab).await;
    for (expression, metric) in &stats {
        let shown = prometheus.now(expression).await;
        assert_eq!(shown, Ok(vec![counted[metric]]), "{metric}");
    }
}
