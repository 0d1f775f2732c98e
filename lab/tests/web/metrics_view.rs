//! The charts of the counters, beside `/metrics`.

use serde_json::json;

use crate::web::support::{Browser, serve};

/// The metrics of the charts that are not of durations.
const METRICS: [&str; 7] = [
    "client_attempts_total",
    "client_retries_total",
    "client_give_ups_total",
    "client_cursor_loops_total",
    "client_calls_total",
    "service_faults_total",
    "service_early_retries_total",
];

/// The numbers in the rows called `all`: those of the charts, in their order.
fn shown(html: &str) -> Vec<u64> {
    let all = html.split("<th scope=\"row\">all").skip(1);
    all.map(|rest| {
        let number = rest.split("<td class=\"num\">").nth(1);
        let number = number.and_then(|rest| rest.split('<').next());
        number
            .and_then(|number| number.parse().ok())
            .expect("a number")
    })
    .collect()
}

#[tokio::test]
async fn the_charts_show_the_sums_of_metrics_and_the_run_behind_them() {
    let (ui, browser) = serve().await;
    let service = Browser::of(&ui.service_url());
    let charts = browser.try_listen_to("/api/metrics-view").await;
    let mut charts = charts.expect("room");
    let first = charts.next().await.expect("charts");
    let run = json!({ "scenario": "flaky-gives-up", "pace": "virtual", "client": "compare" });

    let id = browser.begin(&run).await;
    browser.ended(&id).await;
    let unkept = json!({ "scenario": "looping-items", "pace": "virtual", "kept": false });
    browser.start(&unkept).await;
    // The charts of this second may have been drawn before.
    charts.next().await.expect("charts");
    let last = charts.next().await.expect("charts");

    assert_eq!(shown(first.data["html"].as_str().expect("HTML")), [0; 7]);
    let html = last.data["html"].as_str().expect("HTML");
    let mut scraped = Vec::new();
    for metric in METRICS {
        scraped.push(service.total(&format!("{metric}{{")).await);
    }
    assert_eq!(shown(html), scraped);
    assert!(scraped[..6].iter().all(|sum| *sum > 0), "{scraped:?}");
    let link = format!("<a href=\"/runs/{id}\">▼ flaky-gives-up</a>");
    let give_ups = html.split("<figure").nth(3).expect("the third chart");
    let mut rows = give_ups.split("<tr");
    let reason = rows.find(|row| row.contains("attempts_<wbr>exhausted"));
    let reason = reason.expect("the row of its reason");
    assert!(reason.contains(&link), "{reason}");
    // The run that moved these is not kept.
    let loops = html.split("<figure").nth(4).expect("the fourth chart");
    let mut rows = html.split("<tr");
    let of_contract = rows.find(|row| row.contains("contract_<wbr>error"));
    for unmarked in [loops, of_contract.expect("the row of its outcome")] {
        assert!(!unmarked.contains("/runs/"), "{unmarked}");
    }
    ui.stop().await.expect("nothing is left");
}
