//! Pages that follow the lab as it goes on.

use super::stage::{Browser, Lab, PROJECTOR};

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn two_pages_follow_the_same_run() {
    let lab = Lab::start();
    let instructor = Browser::at(&lab, PROJECTOR, "retry-after-seconds").await;
    let learner = Browser::at(&lab, PROJECTOR, "items").await;

    instructor.press("r").await;
    learner
        .until("text('#runs .name') === 'retry-after-seconds'")
        .await;
    learner.click("#runs a").await;

    for page in [&instructor, &learner] {
        page.until("text('.row.wait .how')?.includes('left')").await;
    }
    for page in [&instructor, &learner] {
        page.ended().await;
        assert_eq!(page.read("all('.row.attempt').length").await, 2);
    }
    assert_eq!(learner.address().await, instructor.address().await);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_page_out_of_sight_goes_on_where_it_was() {
    let lab = Lab::start();
    let hidden = Browser::at(&lab, PROJECTOR, "flaky").await;
    hidden.hide(true).await;
    let other = Browser::at(&lab, PROJECTOR, "items").await;
    let id = other.run().await;

    hidden.hide(false).await;

    hidden
        .until(&format!(
            "document.querySelector('#runs a.passed')?.dataset.run === '{id}'"
        ))
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn requests_from_elsewhere_have_a_lane_of_their_own() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "flaky").await;

    Lab::raw(
        &lab.service,
        "GET /retry-later HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );

    browser.until("all('#wire tbody tr').length === 1").await;
    let row = browser.read("text('#wire tbody tr')").await.to_string();
    for part in ["GET /retry-later", "503", "retry_later", "120 s"] {
        assert!(row.contains(part), "{part} is missing in {row}");
    }
    assert_eq!(
        browser
            .read("document.querySelectorAll('.lane .failed').length")
            .await,
        1
    );
    assert_eq!(browser.read("all('#runs li').length").await, 0);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_counters_are_plotted_over_time() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "flaky").await;
    browser.press("r").await;
    browser.ended().await;

    // Two samples make a line; a run that moves the counters makes a sample.
    for _ in 0..2 {
        let samples = browser
            .read("document.querySelector('.plot:not(.empty)') !== null")
            .await;
        if samples == false {
            browser.run().await;
        }
    }

    browser.until("/client_attempts_total rose from \\d+ to \\d+ in/.test(document.querySelector('.plot:not(.empty)')?.getAttribute('aria-label'))").await;
}
