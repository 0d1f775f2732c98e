//! Metrics: the way from a mark to its run, and what a reader has opened stays.

use serde_json::json;

use crate::stage::{Browser, Lab, lab_showing};

impl Browser {
    /// Loads Metrics.
    pub(crate) async fn show_metrics(&self, lab: &Lab) {
        self.show(lab, "/metrics-view").await;
        self.is_live().await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_seen_at_once_and_its_mark_leads_to_it_and_a_restart_begins_at_zero() {
    let (mut lab, browser) = lab_showing("/metrics-view").await;
    browser.is_live().await;
    let numbers = "each('.name b').slice(0, 4).map((number) => number.textContent)";
    browser.shows(numbers, json!(["0", "0", "0", "0"])).await;
    browser.click(".name").await;
    browser.until("one('.about').open").await;

    // A run that was started elsewhere.
    browser
        .ask(
            "fetch('/api/runs', { method: 'POST', headers: { 'Content-Type': 'application/json' },
              body: '{\"scenario\":\"flaky-gives-up\",\"pace\":\"virtual\"}' }).then(() => done())",
        )
        .await;
    browser.becomes(numbers, json!(["2", "1", "1", "0"])).await;
    let legends =
        "each('.keys li').map((part) => part.innerText.replace(/\\s+/g, ' ').trim()).join(', ')";
    browser
        .says(legends, &["failed 2", "5xx 1", "attempts used up 1"])
        .await;
    browser.shows("one('.about').open", json!(true)).await;
    browser.shows("each('.marks a').length", json!(1)).await;
    browser.read("one('.marks a').focus()").await;
    browser.submit(".marks a text").await;
    browser
        .shows(
            "text('#announce').startsWith('flaky-gives-up: ')",
            json!(true),
        )
        .await;

    browser.press_on("t").await;
    lab.restart();
    browser.becomes(numbers, json!(["0", "0", "0", "0"])).await;

    // The service would refuse a link from a page of another name of this machine.
    let (_, port) = lab.page.rsplit_once(':').expect("a port");
    browser
        .go(&format!("http://localhost:{port}/metrics-view"))
        .await;
    browser.click(".titled a").await;
    browser
        .until("document.body.innerText.includes('client_attempts_total')")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn eight_lanes_and_the_message_of_the_overview_are_in_sight_on_a_projector() {
    let (lab, browser) = lab_showing("/metrics-view").await;
    let ends = "one('.lanes').getBoundingClientRect().bottom <= innerHeight";
    browser
        .shows("each('.lanes tbody tr').length", json!(9))
        .await;
    browser.shows(ends, json!(true)).await;

    browser.show(&lab, "/").await;
    let ends = "one('.overview').getBoundingClientRect().bottom <= innerHeight";
    browser.shows(ends, json!(true)).await;

    for step in ["", "&step=2"] {
        browser
            .show(&lab, &format!("/metrics-view?present{step}"))
            .await;
        let footer = "one('.lanes').getBoundingClientRect().bottom <= one('footer').getBoundingClientRect().top";
        browser.shows(footer, json!(true)).await;
    }
}
