use std::{collections::BTreeSet, fmt::Write, fs};

use proptest::{collection::vec, prelude::*};
use scenario::catalogue::CATALOGUE;
use serde_json::Value;
use testkit::files;

use super::{
    counts::Quantile,
    history::{COLUMN, COLUMNS},
    lanes::{DURATIONS, LANES, query_of_durations},
    marks::marks,
    *,
};
use crate::{
    scenario::web::RunMark,
    web::{Exporters, fields::Fields, modes::Modes},
};

/// Some series of `/metrics`, each with the lane and the part that show it.
const SERIES: [(&str, &str, &str); 8] = [
    (
        r#"client_attempts_total{endpoint="items",method="GET",result="200"}"#,
        "Attempts",
        "ok",
    ),
    (
        r#"client_attempts_total{endpoint="jobs",method="POST",result="503"}"#,
        "Attempts",
        "failed",
    ),
    (
        r#"client_attempts_total{endpoint="jobs",method="POST",result="read_timeout"}"#,
        "Attempts",
        "failed",
    ),
    (
        r#"client_retries_total{wait_source="backoff",endpoint="jobs",reason="503"}"#,
        "Retries",
        "5xx",
    ),
    (
        r#"client_calls_total{endpoint="items",outcome="ok",retried="false"}"#,
        "Calls",
        "ok",
    ),
    (
        r#"http_server_request_duration_seconds_count{http_route="/flaky",http_response_status_code="429"}"#,
        "Responses",
        "429",
    ),
    (
        "client_cursor_loops_total",
        "Cursor loops",
        "repeated cursor",
    ),
    (r#"service_faults_total{fault="flaky"}"#, "Faults", "503"),
];

/// Series and comments that no lane shows.
const OTHERS: &str = r#"# TYPE client_attempts_total counter
client_call_duration_seconds_sum{endpoint="items"} 1.5
client_call_duration_seconds_count{endpoint="items"} 3
client_call_attempts_bucket{le="1"} 9
http_server_request_duration_seconds_bucket{http_response_status_code="200",le="0.1"} 9
process_open_fds 12
"#;

/// The text of `/metrics` with these numbers of the series.
fn text(numbers: [u64; SERIES.len()]) -> String {
    let mut text = OTHERS.to_owned();
    for (number, (series, ..)) in numbers.iter().zip(SERIES) {
        writeln!(text, "{series} {number}").expect("a text");
    }
    text
}

/// The number of the lane, and that of its part.
fn place(lane: &str, part: &str) -> (usize, usize) {
    let number = LANES
        .iter()
        .position(|known| known.title == lane)
        .expect("a lane");
    let parts = LANES[number].parts;
    let part = parts
        .iter()
        .position(|known| known.name == part)
        .expect("a part");
    (number, part)
}

fn registered() -> String {
    let exposition = Exposition::new();
    exposition.register(CATALOGUE);
    exposition.text()
}

proptest! {
    /// The definition of the columns: each has what was counted in its 15 seconds, and the
    /// newest numbers are those of `/metrics`.
    #[test]
    fn a_column_has_what_was_counted_in_it(
        samples in vec((1_u64..40, vec(0_u64..50, SERIES.len())), 1..60),
    ) {
        let (mut history, mut seconds) = (History::default(), 0);
        let mut totals = [0; SERIES.len()];
        let mut rises = Vec::new();
        for (later, rise) in &samples {
            seconds += later;
            for (total, rise) in totals.iter_mut().zip(rise) {
                *total += rise;
            }
            history.add(Duration::from_secs(seconds), Counts::read(&text(totals)));
            rises.push((seconds / COLUMN.as_secs(), rise));
        }

        let columns = history.columns();
        prop_assert_eq!(columns.len(), COLUMNS as usize);
        let first = (seconds / COLUMN.as_secs() + 1).checked_sub(COLUMNS.into());
        let now = seconds / COLUMN.as_secs();
        for (_, lane, part) in SERIES {
            let (lane, part) = place(lane, part);
            let is_of_part = |series: usize| place(SERIES[series].1, SERIES[series].2) == (lane, part);
            let sum = |numbers: &[u64]| -> u64 {
                numbers.iter().enumerate().filter(|(series, _)| is_of_part(*series)).map(|(_, number)| number).sum()
            };
            prop_assert_eq!(history.newest().part(lane, part), sum(&totals));
            for (place, column) in columns.iter().enumerate() {
                let number = (now + place as u64 + 1).checked_sub(COLUMNS.into());
                let of_column = rises.iter().filter(|(at, _)| Some(*at) == number);
                let expected: u64 = of_column.map(|(_, rise)| sum(rise)).sum();
                prop_assert_eq!(column.part(lane, part), expected, "column {}", place);
            }
            let recent = rises.iter().filter(|(at, _)| first.is_none_or(|first| *at >= first));
            let expected: u64 = recent.map(|(_, rise)| sum(rise)).sum();
            prop_assert_eq!(history.recently().part(lane, part), expected);
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
        let bounds = client::telemetry::CALL_DURATION_BUCKETS;
        let within = |durations: &[f64], bound: f64| durations.iter().filter(|duration| **duration <= bound).count();
        let text = |durations: &[f64]| {
            let buckets = bounds.map(|bound| {
                format!("{DURATIONS}_bucket{{le=\"{bound}\"}} {}\n", within(durations, bound))
            });
            format!("{}{DURATIONS}_bucket{{le=\"+Inf\"}} {}\n", buckets.concat(), durations.len())
        };
        let earlier = Counts::read(&text(&before));
        let later = Counts::read(&text(&[&before[..], &since[..]].concat()));

        let found = later.since(&earlier).quantile(share);

        let is_enough = |bound: &f64| within(&since, *bound) as f64 >= share * since.len() as f64;
        let bound = bounds.into_iter().find(is_enough);
        let expected = bound.map_or(Quantile::Above(120.0), Quantile::AtMost);
        prop_assert_eq!(found, (!since.is_empty()).then_some(expected));
    }
}

#[test]
fn every_lane_shows_a_metric_by_one_of_its_labels() {
    let metrics = scenario::metrics();
    for lane in &LANES {
        let metric = metrics.iter().find(|metric| metric.name == lane.metric);
        let labels = metric.expect(lane.metric).labels;
        assert!(
            lane.label.is_none_or(|label| labels.contains(&label)),
            "{}",
            lane.title
        );
        assert!(lane.parts.len() <= lanes::MOST_PARTS, "{}", lane.title);
    }
}

#[test]
fn no_two_parts_of_a_lane_look_alike() {
    for lane in &LANES {
        let looks: BTreeSet<_> = lane.parts.iter().map(|part| part.fill).collect();
        assert_eq!(looks.len(), lane.parts.len(), "{}", lane.title);
    }
}

/// What a lane counts under each name: a new fault or reason shows up here.
#[test]
fn every_value_of_a_label_belongs_to_a_part() {
    let text = registered();
    let mut belongs = String::new();
    for lane in &LANES {
        let Some(label) = lane.label else {
            continue;
        };
        let start = format!("{}{{", lane.series());
        let of_lane = text.lines().filter(|line| line.starts_with(&start));
        let values: BTreeSet<_> = of_lane
            .filter_map(|line| {
                let (_, rest) = line.split_once(&format!("{label}=\""))?;
                Some(rest.split_once('"')?.0)
            })
            .collect();
        for (number, part) in lane.parts.iter().enumerate() {
            let of_part = values.iter().filter(|value| lane.part_of(value) == number);
            let of_part: Vec<_> = of_part.copied().collect();
            writeln!(
                belongs,
                "{}, {}: {}",
                lane.title,
                part.name,
                of_part.join(" ")
            )
            .expect("a text");
        }
    }

    insta::assert_snapshot!(belongs, @"
    Attempts, ok: 200 201 204 302
    Attempts, failed: 400 404 408 409 413 415 422 429 503 507 body_too_large connect connect_timeout connection_lost protocol read_timeout request tls
    Retries, 5xx: 503
    Retries, 429: 429
    Retries, timeout: connect_timeout read_timeout
    Retries, no connection: connect
    Retries, connection lost: connection_lost protocol
    Give-ups, attempts used up: attempts_exhausted
    Give-ups, budget empty: retry_budget_empty
    Give-ups, wait too long: deadline retry_after_over_budget
    Give-ups, listing limit: item_limit page_limit
    Give-ups, not allowed: not_eligible tls
    Calls, ok: ok
    Calls, HTTP error: http_error
    Calls, bad response: response_error
    Calls, bad listing: contract_error
    Calls, cancelled: cancelled
    Calls, no response: transport_error
    Responses, 2xx: 200 201 204
    Responses, 5xx: 503 507
    Responses, 429: 429
    Responses, 4xx: 400 403 404 405 408 409 413 415 421 422
    Responses, 3xx: 302
    Responses, other: 
    Faults, 503: busy confused down flaky maintenance retry_later returned slow unavailable
    Faults, 429: too_many_requests
    Faults, bad listing: bad_cursor bad_items endless_items looping_items
    Faults, no response: cut_body lost_response silence
    Faults, odd response: bad_json no_content oversized_body redirect text_json
    ");
}

/// A selector and a range are the choice of a dashboard; what is asked is not.
fn asked(query: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0;
    for sign in query.replace("rate(", "increase(").chars() {
        match sign {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ if depth == 0 => kept.push(sign),
            _ => {}
        }
    }
    kept
}

#[test]
fn a_lane_asks_what_a_dashboard_asks() {
    let folder = files::root().join("dashboards/grafana/dashboards");
    let mut of_dashboards = BTreeSet::new();
    for file in fs::read_dir(folder).expect("dashboards") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a text");
        let dashboard: Value = serde_json::from_str(&text).expect("JSON");
        let panels = dashboard["panels"].as_array().expect("panels");
        let targets = panels
            .iter()
            .filter_map(|panel| panel["targets"].as_array());
        let queries = targets
            .flatten()
            .filter_map(|target| target["expr"].as_str());
        of_dashboards.extend(queries.map(asked));
    }

    for lane in LANES.iter().filter(|lane| lane.label.is_some()) {
        let asked = asked(&lane.query());
        assert!(
            of_dashboards.contains(&asked),
            "{asked} in {of_dashboards:#?}"
        );
    }
    assert_eq!(
        asked(&query_of_durations()),
        format!("histogram_quantile(0.99, sum by (le) (increase({DURATIONS}_bucket)))")
    );
}

fn view() -> (Arc<MetricsView>, Arc<Live>, Exposition) {
    let (live, exposition) = (Arc::<Live>::default(), Exposition::new());
    exposition.register(CATALOGUE);
    let runs = Runs::new(Arc::clone(&live), exposition.clone(), Exporters::default());
    let view = MetricsView::new(exposition.clone(), runs, Arc::clone(&live));
    (view, live, exposition)
}

fn shown(query: &str) -> Shown {
    Shown {
        modes: Modes::of(&Fields::parse(query.as_bytes())),
        step: 1,
        in_progress: false,
        at_localhost: false,
    }
}

fn run(seconds: u64, scenario: &'static str, is_good: Option<bool>) -> TimedRun {
    let mark = RunMark {
        id: scenario.to_owned(),
        scenario,
        started: SystemTime::UNIX_EPOCH,
        is_good,
    };
    (Duration::from_secs(seconds), mark)
}

#[test]
fn a_page_is_drawn_once_for_all_that_show_it_until_something_changes() {
    let mut sampled = Sampled::default();
    let counts = |attempts| Counts::read(&text([attempts, 0, 0, 0, 0, 0, 0, 0]));
    let at = Duration::from_secs;
    assert!(sampled.add(at(1), counts(1), Vec::new()));

    let one = sampled.page(shown(""), "");
    let presented = sampled.page(shown("present"), "");
    assert!(!sampled.add(at(2), counts(1), Vec::new()));
    let again = sampled.page(shown(""), "");

    assert_eq!(one.as_ptr(), again.as_ptr());
    assert_ne!(one, presented);
    for (seconds, attempts, runs) in [
        (3, 2, Vec::new()),
        (4, 2, vec![run(4, "flaky", None)]),
        (5, 2, vec![run(4, "flaky", Some(true))]),
        // A new column begins.
        (15, 2, vec![run(4, "flaky", Some(true))]),
    ] {
        let before = sampled.page(shown(""), "");
        assert!(
            sampled.add(at(seconds), counts(attempts), runs),
            "{seconds}"
        );
        assert_ne!(sampled.page(shown(""), ""), before, "{seconds}");
    }
}

#[test]
fn an_idle_lab_keeps_few_pages_whatever_stops_are_asked_for() {
    let mut sampled = Sampled::default();
    sampled.add(Duration::ZERO, Counts::read(&registered()), Vec::new());

    for mode in ["present", "predict"] {
        for stop in 1..=17 {
            sampled.page(shown(&format!("{mode}&plan=90&stop={stop}")), "");

            assert!(sampled.pages.len() <= 16, "{}", sampled.pages.len());
        }
    }
    assert!(sampled.pages.len() > 1);
}

#[test]
fn an_idle_lab_has_nothing_new_to_show() {
    let mut sampled = Sampled::default();
    let counts = Counts::read(&registered());
    sampled.add(Duration::ZERO, counts, Vec::new());

    for seconds in 1..2_000 {
        assert!(!sampled.add(Duration::from_secs(seconds), counts, Vec::new()));
    }
}

#[tokio::test(start_paused = true)]
async fn the_pages_are_told_within_a_second_of_what_was_counted() {
    let (view, live, exposition) = view();
    let following = tokio::spawn(Arc::clone(&view).follow());
    let mut changes = live.changes();
    tokio::time::sleep(SECOND / 2).await;
    changes.mark_unchanged();

    let settings = scenario::Settings::in_virtual_time(&scenario::Reliable, 7);
    let flaky = scenario::catalogue::find("flaky").expect("known");
    let session = scenario::Session::new(flaky, &settings, &exposition);
    let identity = tracing_subscriber::layer::Identity::new();
    session
        .run_until(std::future::pending(), identity)
        .await
        .expect("a run");
    let counted = Instant::now();

    // It does not take a sample itself.
    let attempts = || lock(&view.sampled).history.newest().total(0);
    while attempts() < 3 {
        changes.changed().await.expect("a change");
    }
    assert!(counted.elapsed() <= SECOND);
    following.abort();
}

#[test]
fn marks_that_would_overlap_are_one_with_its_numbers() {
    let mut history = History::default();
    history.add(Duration::from_secs(890), Counts::default());
    let runs = [
        run(0, "items", Some(true)),
        run(10, "flaky", Some(true)),
        run(100, "redirect", Some(false)),
        run(189, "flaky", Some(true)),
        run(200, "deadline", None),
    ];
    let told = |query| -> Vec<_> {
        let marks = marks(&history, &runs, shown(query));
        let told = marks.into_iter().map(|mark| {
            let at = mark.at.as_secs();
            (at, mark.went_well, mark.words, mark.href)
        });
        told.collect()
    };

    insta::assert_debug_snapshot!(told(""), @r#"
    [
        (
            0,
            [
                Some(
                    true,
                ),
                Some(
                    true,
                ),
            ],
            "items as expected, flaky as expected",
            "/runs",
        ),
        (
            100,
            [
                Some(
                    false,
                ),
                Some(
                    true,
                ),
            ],
            "redirect not as expected, flaky as expected",
            "/runs",
        ),
        (
            200,
            [
                None,
            ],
            "deadline",
            "/runs/deadline",
        ),
    ]
    "#);
    for (_, went_well, words, href) in told("predict") {
        assert!(went_well.iter().all(Option::is_none));
        assert!(!words.contains("expected"), "{words}");
        assert!(href.ends_with("?predict"), "{href}");
    }
}

#[test]
fn a_run_that_is_older_than_the_columns_has_no_mark() {
    let mut history = History::default();
    history.add(Duration::from_secs(1_200), Counts::default());

    let marks = marks(
        &history,
        &[run(300, "old", None), run(315, "new", None)],
        shown(""),
    );

    let marks: Vec<_> = marks
        .into_iter()
        .map(|mark| (mark.at, mark.words))
        .collect();
    assert_eq!(marks, [(Duration::ZERO, "new".to_owned())]);
}
