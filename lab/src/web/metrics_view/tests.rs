use std::fmt::Write;

use proptest::{collection::vec, prelude::*};

use super::{
    charts::{charts, meaning},
    history::{CHARTS, Counted, History, Lines},
    *,
};

/// Some series of `/metrics`, each with its chart and the label that the chart is by.
const SERIES: [(&str, usize, &str); 8] = [
    (
        r#"client_attempts_total{endpoint="items",method="GET",result="200"}"#,
        0,
        "",
    ),
    (
        r#"client_attempts_total{endpoint="jobs",method="POST",result="503"}"#,
        0,
        "",
    ),
    (
        r#"client_retries_total{endpoint="items",reason="status_503",wait_source="backoff"}"#,
        1,
        "backoff",
    ),
    (
        r#"client_retries_total{wait_source="backoff",endpoint="jobs",reason="timeout"}"#,
        1,
        "backoff",
    ),
    (
        r#"client_retries_total{wait_source="retry_after",endpoint="jobs"}"#,
        1,
        "retry_after",
    ),
    (
        r#"client_calls_total{endpoint="items",outcome="ok",retried="false"}"#,
        4,
        "ok",
    ),
    (
        r#"client_call_duration_seconds_bucket{endpoint="items",outcome="ok",le="0.1"}"#,
        7,
        "0.1",
    ),
    ("service_early_retries_total", 6, ""),
];

/// Series and comments that no chart shows.
const OTHERS: &str = r#"# TYPE client_attempts_total counter
client_call_duration_seconds_sum{endpoint="items"} 1.5
client_call_duration_seconds_count{endpoint="items"} 3
client_call_attempts_bucket{le="1"} 9
process_open_fds 12
"#;

proptest! {
    /// The definition of the samples: each has the sums of `/metrics` at its time, for fifteen
    /// minutes.
    #[test]
    fn a_sample_has_the_sums_of_its_second(
        seconds in vec((1_u64..400, vec(0_u64..50, SERIES.len())), 1..40),
    ) {
        let (mut history, mut at) = (History::default(), Duration::ZERO);
        let (mut totals, mut texts) = ([0; SERIES.len()], Vec::new());
        for (later, rises) in &seconds {
            at += Duration::from_secs(*later);
            let mut text = OTHERS.to_owned();
            for ((total, rise), (series, ..)) in totals.iter_mut().zip(rises).zip(SERIES) {
                *total += rise;
                writeln!(text, "{series} {total}").expect("a text");
            }
            history.add(at, &text);
            texts.push((at, totals));
        }

        texts.retain(|(then, _)| at - *then <= Duration::from_secs(900));
        prop_assert_eq!(history.samples().len(), texts.len());
        for (sample, (at, totals)) in history.samples().iter().zip(&texts) {
            prop_assert_eq!(sample.at, *at);
            for (_, chart, label) in SERIES {
                let of_same = SERIES.iter().zip(totals).filter(|((_, other, by), _)| (*other, *by) == (chart, label));
                let expected: u64 = of_same.map(|(_, total)| total).sum();
                let counted = history.counted(chart);
                let counted = counted.iter().find(|counted| counted.label == label).expect("a series");
                prop_assert_eq!(counted.of(sample), expected, "{} by {}", chart, label);
            }
        }
    }

    /// The definition of a quantile: the lowest bound that so many of the durations do not exceed.
    #[test]
    fn a_quantile_is_the_lowest_bound_that_enough_durations_do_not_exceed(
        before in vec(0.0..200.0_f64, 0..20),
        since in vec(0.0..200.0_f64, 0..60),
        thousandths in 1_u64..=1_000,
    ) {
        let share = thousandths as f64 / 1_000.0;
        let bounds = [0.005, 0.1, 1.0, 10.0, 120.0, f64::INFINITY];
        let within = |durations: &[f64], bound: f64| durations.iter().filter(|duration| **duration <= bound).count();
        let text = |durations: &[f64]| {
            let buckets = bounds.map(|bound| {
                let label = if bound.is_finite() { bound.to_string() } else { "+Inf".to_owned() };
                let count = within(durations, bound);
                format!("client_call_duration_seconds_bucket{{le=\"{label}\"}} {count}\n")
            });
            buckets.concat()
        };
        let mut history = History::default();
        history.add(Duration::ZERO, &text(&before));
        history.add(SECOND, &text(&[&before[..], &since[..]].concat()));

        let found = charts::quantile(share, &history.counted(7), &history.samples()[0], &history.samples()[1]);

        let is_enough = |bound: &f64| within(&since, *bound) as f64 >= share * since.len() as f64;
        let expected = bounds.into_iter().find(is_enough).filter(|_| !since.is_empty());
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn every_charted_metric_is_one_of_metrics_with_its_label() {
    let metrics = scenario::metrics();
    for charted in CHARTS {
        let metric = metrics.iter().find(|metric| metric.name == charted.metric);
        let metric = metric.expect(charted.metric);
        if let Lines::Each(label) = charted.lines {
            assert!(
                metric.labels.contains(&label),
                "{label} of {}",
                charted.metric
            );
        }
    }
}

#[test]
fn every_part_of_a_chart_has_a_meaning() {
    let exposition = Exposition::new();
    exposition.register(scenario::catalogue::CATALOGUE);
    let mut history = History::default();

    history.add(Duration::ZERO, &exposition.text());

    for (chart, number) in [(1, 2), (2, 8), (4, 6)] {
        let counted = history.counted(chart);
        assert_eq!(counted.len(), number);
        for Counted { label, .. } in counted {
            assert!(meaning(label).is_some(), "{label}");
        }
    }
}

#[test]
fn a_chart_has_its_numbers_now_and_its_rise_since_the_left_edge() {
    let mut history = History::default();
    let text =
        |attempts, backoff| format!("{} {attempts}\n{} {backoff}\n", SERIES[0].0, SERIES[2].0);
    history.add(Duration::from_secs(10), &text(70, 20));
    history.add(Duration::from_secs(70), &text(74, 20));
    history.add(Duration::from_secs(100), &text(80, 20));

    let html = charts(&history, &[], "http://127.0.0.1:8765").into_string();

    let numbers =
        |now: u64, rise: u64| format!("<td class=\"num\">{now}</td><td class=\"num\">+{rise}</td>");
    for expected in [
        &numbers(80, 10),
        &numbers(20, 0),
        "<span>−2 min</span>",
        r#"<a href="http://127.0.0.1:8765/metrics">"#,
        // The last number is the height of the line, which it has at the right edge.
        r#"d="M0 140H60V100H90V40H90""#,
    ] {
        assert!(html.contains(expected), "{expected} in {html}");
    }
    let nothing = charts(&History::default(), &[], "");
    assert_eq!(nothing.into_string(), "");
}

#[test]
fn while_all_is_shown_a_counter_has_one_number() {
    let mut history = History::default();
    history.add(Duration::ZERO, &format!("{} 0\n", SERIES[0].0));
    history.add(Duration::from_secs(60), &format!("{} 8\n", SERIES[0].0));

    let html = charts(&history, &[], "").into_string();

    let (attempts, _) = html.split_once("</figure>").expect("a chart");
    assert_eq!(attempts.matches("\"num\"").count(), 2, "{attempts}");
    for expected in [">since start</th>", ">8</td>", "H60V40H60"] {
        assert!(attempts.contains(expected), "{expected} in {attempts}");
    }
}

#[test]
fn after_fifteen_minutes_nothing_older_is_shown() {
    let mut history = History::default();
    let name = "client_call_duration_seconds_bucket";
    for seconds in (0..=1_200).step_by(30) {
        // Of the minute before 330 s, only a slow call is still known.
        let slow = u32::from(seconds > 300);
        let quick = seconds / 30 - slow;
        let text = format!(
            "{} {quick}\n{name}{{le=\"0.1\"}} {quick}\n{name}{{le=\"10\"}} {}\n",
            SERIES[0].0,
            quick + slow
        );
        history.add(Duration::from_secs(seconds.into()), &text);
    }

    let html = charts(&history, &[], "").into_string();

    let durations = html.split("<figure").last().expect("a chart");
    for (text, part) in [
        (&*html, "last 15 min</th>"),
        (&html, "<span>−15 min</span>"),
        (&html, "39</td><td class=\"num\">+29</td>"),
        (durations, "≤ 100 ms</td><td class=\"num\">≤ 100 ms</td>"),
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_charts_come_each_second() {
    let exposition = Exposition::new();
    exposition.register(scenario::catalogue::CATALOGUE);
    let charts = Feed::new();
    let runs = Runs::new(
        Arc::default(),
        exposition.clone(),
        crate::web::Exporters::default(),
    );
    let mut reader = charts.read().expect("room");
    let following = tokio::spawn(follow(exposition, runs, Arc::clone(&charts), "".into()));
    let begun = Instant::now();

    for second in 0..3 {
        drop(reader.recv().await.expect("charts"));
        assert_eq!(begun.elapsed().as_secs(), second);
    }

    following.abort();
}
