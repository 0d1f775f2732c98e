//! The page does not grow with the number of runs.

use crate::stage::{Browser, lab_showing};

/// Runs a scenario this many times, one after the other, and shows the last run.
async fn run_scenario(browser: &Browser, times: u32) {
    let script = "(async () => {
        const send = (path, options) => fetch(path, options).then((response) => response.json());
        const { id } = await send('/api/runs', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ scenario: 'flaky', pace: 'virtual', seed: 7 }),
        });
        while ((await send('/api/runs/' + id)).state === 'running');
        window.last = id;
        done();
    })()";
    for _ in 0..times {
        browser.ask(script).await;
    }
    browser.until("one('#runs a').dataset.run === last").await;
    browser.click("#runs a").await;
    browser.ended().await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_page_has_no_more_elements_after_two_hundred_runs_than_after_a_hundred() {
    let (_lab, browser) = lab_showing("flaky").await;
    let size = "each('*').length";

    run_scenario(&browser, 110).await;
    let before = browser.read(size).await;
    run_scenario(&browser, 90).await;

    browser.shows("all('#runs li').length", 100).await;
    browser.shows(size, before).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_long_crawl_is_cut_in_the_middle_and_says_so() {
    let (_lab, browser) = lab_showing("endless-items").await;
    browser.click("#settings-summary").await;
    browser.click("[name=max_pages]").await;

    browser.press("150\u{e007}").await;
    browser.ended().await;

    // Each page but the last, which is refused, is a call folded over an attempt and
    // what the service saw: of three rows one is on the screen.
    let rows = "each('.rows > li').filter((row) => row.checkVisibility())";
    browser.shows(&format!("{rows}.length"), 67 + 67).await;
    let closed = format!("{rows}.every((row) => !row.firstElementChild.open)");
    browser.shows(&closed, true).await;
    let after_gap = format!("{rows}.findIndex((row) => row.matches('.after-gap'))");
    browser.shows(&after_gap, 67).await;
    let listed = "each('[aria-labelledby^=wire] tbody tr').length";
    browser.shows(listed, 100).await;
    let says_so = "text('.waterfall > .remark').startsWith('52 rows in the middle')";
    browser.shows(says_so, true).await;
}
