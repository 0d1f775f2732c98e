//! Pages that follow the live feed.

use serde_json::json;
use testkit::http::raw;

use crate::stage::{Browser, Lab, PROJECTOR, lab_showing};

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn two_pages_follow_the_same_runs() {
    let lab = Lab::start();
    let instructor = Browser::at(&lab, PROJECTOR, "retry-later").await;
    let learner = Browser::at(&lab, PROJECTOR, "items").await;
    let left = "text('.span.wait > summary .how')?.endsWith(' s left · Retry-After')";

    instructor.wait_for_long().await;
    learner.until("text('#runs .name') === 'retry-later'").await;
    learner.click("#runs a").await;
    learner.until(left).await;

    assert_eq!(learner.address().await, instructor.address().await);
    let id = learner.run().await;
    instructor
        .until(&format!("one('#runs a.passed[data-run=\"{id}\"]')"))
        .await;
    instructor.until(left).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_hidden_page_resumes_where_it_stopped() {
    let lab = Lab::start();
    let hidden = Browser::at(&lab, PROJECTOR, "flaky").await;
    let hide = async |is_hidden: bool| {
        let script = format!(
            "(() => {{ Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }});
               document.dispatchEvent(new Event('visibilitychange')); }})()"
        );
        hidden.read(&script).await;
    };
    hide(true).await;
    let other = Browser::at(&lab, PROJECTOR, "items").await;
    let id = other.run().await;

    hide(false).await;

    hidden
        .until(&format!("one('#runs a.passed')?.dataset.run === '{id}'"))
        .await;
}

/// Stopping the lab loses its runs. The page says only as much as it knows: first that
/// the state is unknown, then that the run is lost.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_that_was_lost_with_its_lab_says_so() {
    let (mut lab, browser) = lab_showing("retry-later").await;
    let finished = browser.run().await;
    browser.wait_for_long().await;

    lab.kill();

    browser.until("text('#link') === 'connection lost'").await;
    let standing = "text('#standing')";
    browser
        .becomes(standing, "✗ connection lost, state unknown")
        .await;
    let stands = browser.read("text('#story')").await;
    browser.shows("all('#runs .mark')", json!(["?", "✓"])).await;
    browser.shows("one('#cancel').hidden", true).await;
    // A run in an unknown state is not animated.
    browser
        .ask("requestAnimationFrame(() => requestAnimationFrame(() => done()))")
        .await;
    browser.shows("text('#story')", stands).await;

    lab.restart();

    browser
        .until("text('#link') === 'live' && text('#standing') === '✗ lost: the lab was stopped while it ran'")
        .await;
    for (expression, expected) in [
        (
            "text('.span.attempt > summary .how')",
            json!("503 Service Unavailable"),
        ),
        ("document.title", json!("retry-later · lab")),
        ("all('.learned').length", json!(0)),
        ("all('#runs li').length", json!(0)),
        ("text('#problem')", json!("")),
    ] {
        browser.shows(expression, expected).await;
    }
    // Another run starts from there, and one that is gone has no address.
    browser
        .read("one('[name=max_retry_after_seconds]').value = ''")
        .await;
    browser.run().await;
    browser
        .go(&format!("http://{}/runs/{finished}", lab.page))
        .await;
    browser
        .until("text('#problem') === 'no such run; only the newest are kept'")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_error_of_a_lab_that_is_gone_goes_when_the_lab_is_back() {
    let gone =
        "each('.problem').some((line) => line.textContent.startsWith('The lab does not respond'))";
    for (address, press) in [
        ("#flaky", "#run"),
        ("grade", "#open-cases"),
        ("storm", "#start-storm"),
    ] {
        let mut lab = Lab::start();
        let ready = format!("one('{press}').checkVisibility()");
        let browser = Browser::showing(&lab, PROJECTOR, address, &ready).await;
        lab.kill();
        browser.until("text('#link') === 'connection lost'").await;

        browser.click(press).await;
        browser.until(gone).await;
        lab.restart();

        browser.until("text('#link') === 'live'").await;
        browser.until(&format!("!{gone}")).await;
    }
}

/// A run that ended before the stop stays on the page, but cannot be fetched again.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_that_had_ended_stays_as_it_was_when_the_lab_stops() {
    let (mut lab, browser) = lab_showing("flaky").await;
    browser.run().await;
    let shown = "text('#story')";
    let before = browser.read(shown).await;

    lab.restart();

    browser
        .until("one('#actions').hidden && text('#link') === 'live'")
        .await;
    browser.shows(shown, before).await;
}

/// Requests from any client, of any trace. Those that are no longer listed are counted.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn requests_from_other_clients_have_a_lane_of_their_own() {
    let lab = Lab::start();
    let browser = Browser::at_grade(&lab, PROJECTOR).await;
    let send = |path, times| {
        for _ in 0..times {
            raw(
                &lab.service,
                format!(
                    "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                     traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n"
                ),
            );
        }
    };

    send("/retry-later", 1);

    browser.until("all('#wire tbody tr').length === 1").await;
    let cells = ["GET /retry-later", "503", "retry_later", "120 s"];
    browser.says("text('#wire tbody tr')", &cells).await;
    let failed = "each('.lane .bar.failed').length";
    browser.shows(failed, 1).await;
    browser.shows("all('#runs li').length", 0).await;
    send("/items", 49);
    browser
        .until("text('#wire .terms')?.includes(' so far, the newest first') && text('#wire .terms').startsWith('50 requests to http://')")
        .await;
    send("/items", 154);
    browser
        .until("text('#wire .terms')?.includes(' so far, the newest 50 are listed') && text('#wire .terms').startsWith('204 requests to http://')")
        .await;
    let listed = "all('#wire tbody tr th').map(Number)";
    let newest: Vec<_> = (155..=204).rev().collect();
    browser.shows(listed, newest).await;
}
