//! The whole numbers on the dashboards: exact while the lab runs, and close after
//! restarts.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
};

use crate::{
    dashboards::{Dashboard, Panel, panels, substituted},
    files::{list, string},
    prometheus::{Lab, Prometheus},
};

/// How far a number may be off once its counter was reset.
const TOLERANCE: f64 = 0.02;

/// The expressions of every number over the time shown: a count, or one side of a ratio.
/// Several panels share some of them.
fn numbers(lab: &Lab) -> BTreeSet<String> {
    let panels = panels();
    let expressions = panels.iter().flat_map(Panel::expressions);
    let over_time = expressions.filter(|expression| expression.contains("[$__range]"));
    let sides = over_time.flat_map(|expression| expression.split(" / "));
    let numbers = sides.map(|side| substituted(side, &lab.service, "3600s"));
    numbers.collect()
}

/// The selector of an expression about one metric.
fn selector(number: &str) -> &str {
    let (_, rest) = number.split_once("(increase(").expect("an increase");
    let end = rest.find('}').expect("an end");
    &rest[..=end]
}

/// It takes `LOAD_SECONDS`, by default two minutes, in each of three lives of the lab.
#[tokio::test]
#[ignore = "needs prometheus"]
async fn a_number_is_exact_until_a_restart_and_within_two_per_cent_after_two() {
    let seconds =
        env::var("LOAD_SECONDS").map_or(120, |text| text.parse::<u32>().expect("seconds"));
    let mut lab = Lab::start().await;
    let prometheus = Prometheus::start(&[&lab], 5).await;
    let numbers = numbers(&lab);
    assert!(numbers.len() > 8, "{numbers:?}");
    let mut counted = BTreeMap::<String, f64>::new();
    let mut wrong = Vec::new();

    for life in 0..3 {
        prometheus.scrapes(&[&lab], 2.0).await;
        lab.run(&format!(
            "lab load --seconds {seconds} --rate 5 --seed {life}"
        ))
        .await;
        prometheus.scrapes(&[&lab], 2.0).await;

        for number in &numbers {
            // What this life of the lab has counted, and those before it.
            let here = format!("sum({})", selector(number));
            let expected = counted.entry(number.clone()).or_default();
            *expected += prometheus.value(&here).await;
            let (shown, expected) = (prometheus.value(number).await, *expected);
            let right = if life == 0 {
                // A sum of durations has fractions.
                (shown - expected).abs() < 1e-9 * expected.max(1.0)
            } else {
                (shown - expected).abs() <= TOLERANCE * expected
            };
            if !right {
                wrong.push(format!(
                    "after {life} restarts {number} is {shown}, not {expected}"
                ));
            }
        }
        if life < 2 {
            let port = lab.stop().await;
            lab = Lab::at(&port).await;
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for dashboard in Dashboard::all() {
        let annotations = list(&dashboard.json, "/annotations/list").iter();
        let mut restarts = annotations.filter(|annotation| annotation["name"] == "Restarts");
        let restarts = string(restarts.next().expect("an annotation"), "/expr");
        let starts = substituted(restarts, &lab.service, "");
        let changes = prometheus
            .value(&format!("changes(({starts})[1h:5s])"))
            .await;
        assert_eq!(changes, 2.0, "{}: {restarts}", dashboard.name);
    }
}
