//! Metrics and the tiles of the overview, beside `/metrics`.

use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::time::Instant;

use crate::web::{
    pages::main_text,
    support::{Browser, serve},
};

/// The series of the lanes, in their order.
const SERIES: [&str; 7] = [
    "client_attempts_total",
    "client_retries_total",
    "client_give_ups_total",
    "client_cursor_loops_total",
    "client_calls_total",
    "http_server_request_duration_seconds_count",
    "service_faults_total",
];

/// The number beside the name of each lane of counters.
fn numbers(page: &str) -> Vec<u64> {
    let names = page.split("<summary class=\"name\">").skip(1);
    let numbers = names.filter_map(|rest| {
        let (_, rest) = rest.split_once("<b>")?;
        rest.split_once('<')?.0.parse().ok()
    });
    numbers.collect()
}

/// The sums of the parts of each lane of counters.
fn sums_of_parts(page: &str) -> Vec<u64> {
    let lanes = page.split("class=\"name\"").skip(1).take(SERIES.len());
    let sums = lanes.map(|lane| {
        let parts = lane.split("<li>").skip(1).filter_map(|part| {
            let (_, number) = part.split_once("<b>")?;
            number.split_once('<')?.0.parse::<u64>().ok()
        });
        parts.sum()
    });
    sums.collect()
}

async fn scraped(service: &Browser) -> Vec<u64> {
    let mut scraped = Vec::new();
    for series in SERIES {
        scraped.push(service.total(&format!("{series}{{")).await);
    }
    scraped
}

#[tokio::test]
async fn metrics_before_any_run() {
    let (_dashboard, browser) = serve().await;

    let page = browser.page("/metrics-view").await.text();

    let text = main_text(&page);
    let text = text
        .split_once("as Prometheus reads them")
        .expect("the title")
        .1;
    insta::assert_snapshot!(text.trim(), @"
    The counters over the last 15 minutes, and their numbers since the start
    what, and its number
    the last 15 minutes
    its parts since the start
    Runs
    ✓ as expected ✗ not as expected
    Attempts reliable client 0
    client_attempts_total
    How many requests did the client put on the wire, and how did each end (status or error type)?
    sum by (result) (increase(client_attempts_total[15s]))
    Copy
    none yet
    Retries by reason 0
    client_retries_total
    How often did the client decide to retry, why, and who chose the wait: the service or the client?
    sum by (reason) (increase(client_retries_total[15s]))
    Copy
    none yet
    Give-ups by reason 0
    client_give_ups_total
    How many calls failed because a rule or a limit of the client forbade another request? A final response, such as a 404, is not counted.
    sum by (reason) (increase(client_give_ups_total[15s]))
    Copy
    none yet
    Cursor loops listings stopped 0
    client_cursor_loops_total
    How many listings were stopped because the service repeated a cursor?
    sum(increase(client_cursor_loops_total[15s]))
    Copy
    none yet
    Calls by ending 0
    client_calls_total
    How many calls of a client method ended, how did each end, and did it take more than one request?
    sum by (outcome) (increase(client_calls_total[15s]))
    Copy
    none yet
    Responses in real time 0
    http_server_request_duration_seconds_count
    How many requests got a response, which, and within how many seconds? Neither those that broke off nor scrapes of /metrics are counted.
    sum by (http_response_status_code) (increase(http_server_request_duration_seconds_count[15s]))
    Copy
    none yet
    Faults to all clients 0
    service_faults_total
    How many responses were faults on purpose, and which?
    sum by (fault) (increase(service_faults_total[15s]))
    Copy
    none yet
    Durations in real time –
    client_call_duration_seconds_bucket
    How long did each caller wait for its result, all attempts and waits included?
    histogram_quantile(0.99, sum by (le) (increase(client_call_duration_seconds_bucket[15s])))
    Copy
    10 ms
    1 s
    none yet
    −15 min
    −12 min
    −9 min
    −6 min
    −3 min
    now
    ");
}

#[tokio::test]
async fn every_number_is_that_of_metrics_within_two_seconds_and_a_mark_leads_to_its_run() {
    let (dashboard, browser) = serve().await;
    let service = Browser::of(&dashboard.service_url());
    let mut changes = browser.listen().await;
    assert_eq!(numbers(&browser.page("/metrics-view").await.text()), [0; 7]);

    let flaky = json!({ "scenario": "flaky", "settings": { "backoff_ms": 100 } });
    let one = browser.begin(&flaky).await;
    let other = browser.begin(&flaky).await;
    for id in [&one, &other] {
        browser.ended(id).await;
    }
    let loops = json!({ "scenario": "looping-items", "pace": "virtual", "kept": false });
    browser.start(&loops).await;
    let scraped = scraped(&service).await;
    let begun = Instant::now();
    let page = loop {
        let page = browser.page("/metrics-view").await.text();
        if numbers(&page) == scraped {
            break page;
        }
        changes.changed().await;
    };

    assert!(
        begun.elapsed() < Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(scraped[..2], [6 + 3, 4], "{scraped:?}");
    assert_eq!(sums_of_parts(&page), scraped);
    let mark = "<title>flaky as expected, flaky as expected</title>";
    assert!(page.contains(mark), "{page}");
    let overview = browser.page("/").await.text();
    for (name, number) in ["Attempts", "Retries", "Give-ups", "Cursor loops"]
        .iter()
        .zip(&scraped)
    {
        let tile = format!("<h2>{name}</h2><small>");
        let (_, tile) = overview.split_once(&tile).expect("a tile");
        let change = if *number == 0 {
            "none yet".to_owned()
        } else {
            format!("+{number} in 15 min")
        };
        assert!(
            tile.starts_with(&format!("{change}</small><b>{number}</b>")),
            "{name}: {tile}"
        );
    }
    dashboard.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn under_predict_no_mark_has_an_ending() {
    let (_dashboard, browser) = serve().await;
    let mut changes = browser.listen().await;
    let id = browser.run_scenario("flaky").await;
    browser.ended(&id).await;

    let marks = loop {
        let page = browser.page("/metrics-view?predict").await.text();
        let (_, marks) = page.split_once("<svg class=\"marks\"").expect("the marks");
        let (marks, _) = marks.split_once("</tr>").expect("their end");
        if marks.contains(&format!("/runs/{id}?predict")) {
            break marks.to_owned();
        }
        changes.changed().await;
    };

    for ending in ["✓", "✗", "expected"] {
        assert!(!marks.contains(ending), "{ending} in {marks}");
    }
}

#[tokio::test]
async fn metrics_are_presented_in_two_steps() {
    let (_dashboard, browser) = serve().await;
    let step = async |number: u8| {
        let page = browser
            .page(&format!("/metrics-view?step={number}&present"))
            .await;
        let page = page.text();
        let text = main_text(&page);
        let (title, _) = text.split_once('\n').expect("a title");
        let lanes = page.matches("class=\"name\"").count();
        let next = page.contains("step=2&amp;present\" aria-keyshortcuts=\"ArrowRight\"");
        let previous = page.contains("step=1&amp;present\" aria-keyshortcuts=\"ArrowLeft\"");
        (title.to_owned(), lanes, previous, next)
    };

    let first = ("Metrics: what the client did".to_owned(), 4, false, true);
    let last = "Metrics: how calls ended, and what the service did".to_owned();
    assert_eq!(step(1).await, first);
    assert_eq!(step(2).await, (last.clone(), 4, true, false));
    // A step that does not exist is the nearest one.
    assert_eq!(step(0).await, first);
    assert_eq!(step(9).await.0, last);
}

/// To the service, a link from another name of the machine is that of another site.
#[tokio::test]
async fn the_link_to_the_service_has_the_name_of_the_page() {
    let (dashboard, browser) = serve().await;
    let service = dashboard.service_url();
    let (_, port) = service.rsplit_once(':').expect("a port");

    for name in ["127.0.0.1", "localhost"] {
        let host = browser.url().replace("http://127.0.0.1", name);
        let headers = [("host", &*host), ("accept", "text/html")];
        let page = browser
            .send(Method::GET, "/metrics-view", &headers, "")
            .await;

        let link = format!("href=\"http://{name}:{port}/metrics\"");
        assert!(page.text().contains(&link), "{link}");
    }
}
