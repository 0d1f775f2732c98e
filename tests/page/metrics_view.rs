//! Metrics: the counters over time, and the way from a give-up to its run.

use serde_json::json;

use crate::stage::{Browser, Lab, lab_showing};

impl Browser {
    /// Loads Metrics, and waits for its charts.
    pub(crate) async fn show_metrics(&self, lab: &Lab) {
        self.show(lab, "/metrics-view").await;
        self.until("one('#charts figure')").await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_give_up_is_seen_and_leads_to_its_run_and_a_restart_begins_at_zero() {
    let (mut lab, browser) = lab_showing("/scenarios/flaky-gives-up?pace=virtual").await;
    browser.submit("#run").await;
    let run = browser.address().await;
    let numbers =
        "each('#chart-2 tbody :is(th, .num)').map((cell) => cell.innerText.replace(/\\s+/g, ' '))";

    // The chart names what moved it, by keyboard and for a screen reader too.
    browser.press_on("t").await;
    let reason = "attempts_exhausted no attempt left ▼ flaky-gives-up";
    let one = json!([reason, "1", "all ▼ flaky-gives-up", "1"]);
    browser.becomes(numbers, one.clone()).await;
    browser.shows("document.title", "Metrics · lab").await;
    browser.submit("#chart-2 th a").await;
    assert_eq!(browser.address().await, run);

    // So does its mark.
    browser.press_on("t").await;
    browser.becomes(numbers, one).await;
    browser.submit("#chart-2 a.run rect").await;
    assert_eq!(browser.address().await, run);

    browser.press_on("t").await;
    lab.restart();
    browser.becomes(numbers, json!(["all", "0"])).await;

    // The service would refuse a link from a page of another name of this machine.
    let (_, port) = lab.page.rsplit_once(':').expect("a port");
    browser
        .go(&format!("http://localhost:{port}/metrics-view"))
        .await;
    browser.until("all('#charts > p a').length > 0").await;
    browser.click("#charts > p a").await;
    browser
        .until("document.body.innerText.includes('client_attempts_total')")
        .await;
}
