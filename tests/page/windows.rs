//! Several windows of one lab, and a lab that stops.

use serde_json::json;

use crate::stage::{Browser, Lab, PROJECTOR, lab_showing};

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn two_windows_follow_the_same_runs_and_share_the_cases() {
    let lab = Lab::start();
    let instructor = Browser::at(&lab, PROJECTOR, "retry-later").await;
    let learner = Browser::at(&lab, PROJECTOR, "items").await;
    let left = "text('details.wait > summary .how')?.endsWith(' s left · Retry-After')";

    instructor.wait_for_long().await;
    learner.until("text('#runs .name') === 'retry-later'").await;
    learner.click("#runs a").await;
    learner.until(left).await;
    assert_eq!(learner.address().await, instructor.address().await);
    // What is shown would run again with the long wait.
    learner.show_scenario(&lab, "retry-later").await;
    let id = learner.run().await;
    instructor
        .until(&format!("one('#runs a.passed[data-run=\"{id}\"]')"))
        .await;
    instructor.until(left).await;
    instructor.press("x").await;
    instructor.ended().await;

    // A hidden window resumes where it stopped.
    let hide = async |is_hidden: bool| {
        let script = format!(
            "(() => {{ Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }});
               document.dispatchEvent(new Event('visibilitychange')); }})()"
        );
        instructor.read(&script).await;
    };
    hide(true).await;
    learner.show_scenario(&lab, "flaky").await;
    let id = learner.run().await;
    hide(false).await;
    instructor
        .until(&format!("one('#runs a.passed')?.dataset.run === '{id}'"))
        .await;

    assert_stops_growing(&learner).await;
    assert_cases_are_shared(&lab, [&instructor, &learner]).await;
}

/// The page has no more elements after more runs than it lists.
async fn assert_stops_growing(browser: &Browser) {
    let size = "each('*').length";
    run_flaky(browser, 104).await;
    let before = browser.read(size).await;

    run_flaky(browser, 5).await;

    browser.shows("all('#runs li').length", 100).await;
    browser.shows(size, before).await;
}

/// Runs a scenario this many times, one after the other, and shows the last run.
async fn run_flaky(browser: &Browser, times: u32) {
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

/// The cases belong to every window: each shows their requests and their end, and new ones are
/// opened after a question.
async fn assert_cases_are_shared(lab: &Lab, windows: [&Browser; 2]) {
    let [instructor, learner] = windows;
    for browser in windows {
        browser.show_grade(lab).await;
    }
    let (terms, url) = ("text('#grade-terms')", "one('.call b')?.textContent");
    instructor.open_cases().await;
    let opened = instructor.read(terms).await;
    learner.becomes(terms, opened).await;
    let first = instructor.read(url).await;
    learner.becomes(url, first.clone()).await;

    learner.click("#open-cases").await;
    learner.answer(false).await;
    learner.call("flaky").await;
    for browser in windows {
        browser.until("all('.requests li.row').length === 1").await;
    }
    instructor.shows(url, first.clone()).await;
    learner.click("#open-cases").await;
    learner.answer(true).await;
    instructor
        .until(&format!("![undefined, {first}].includes({url})"))
        .await;
    let says = "text('#grade-terms').startsWith('Another window opened new cases')";
    instructor.until(says).await;
    learner.shows(says, false).await;

    learner.call("flaky").await;
    for browser in windows {
        browser.until("all('.requests li.row').length === 1").await;
    }
    instructor.click("#stop-cases").await;
    for browser in windows {
        let is_over = format!("{terms}.startsWith('The cases were stopped')");
        browser.until(&is_over).await;
        browser.shows("all('.requests li.row').length", 1).await;
    }
}

/// Stopping the lab loses its runs and its cases. The page says only as much as it knows: first
/// that the state is unknown, then that the run is lost.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_page_survives_its_lab_and_says_what_was_lost() {
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
    browser.drawn().await;
    browser.shows("text('#story')", stands).await;

    lab.restart();
    browser
        .until("text('#link') === 'live' && text('#standing') === '✗ lost: the lab was stopped while it ran'")
        .await;
    browser
        .shows_all(&[
            (
                "text('details:is(.good, .failed):not(.call) > summary .how')",
                json!("503 Service Unavailable"),
            ),
            ("document.title", json!("retry-later · lab")),
            ("all('.learned').length", json!(0)),
            ("all('#runs li').length", json!(0)),
            ("text('#problem')", json!("")),
        ])
        .await;
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

    // The error of a lab that is gone goes when the lab is back. A run that had ended stays as it
    // was, but cannot be fetched again.
    let gone =
        "each('.problem').some((line) => line.textContent.startsWith('The lab does not respond'))";
    for (address, press) in [
        ("#flaky", "#run"),
        ("grade", "#open-cases"),
        ("storm", "#start-storm"),
    ] {
        let ready = format!("one('{press}').checkVisibility()");
        browser.show(&lab, address, &ready).await;
        let is_course = press == "#run";
        if is_course {
            browser.run().await;
        }
        let story = browser.read("text('#story')").await;
        lab.kill();
        browser.until("text('#link') === 'connection lost'").await;
        browser.click(press).await;
        browser.until(gone).await;

        lab.restart();

        browser.until("text('#link') === 'live'").await;
        browser.until(&format!("!{gone}")).await;
        if is_course {
            browser.until("one('#actions').hidden").await;
            browser.shows("text('#story')", story).await;
        }
    }

    // The results of cases stay on the page, too.
    browser.show_grade(&lab).await;
    browser.open_cases().await;
    browser.call("flaky").await;
    browser.until("all('.requests li.row').length === 1").await;
    lab.restart();
    browser
        .until(
            "text('#link') === 'live' && text('#grade-terms').startsWith('The cases were stopped')",
        )
        .await;
    browser.shows("all('.requests li.row').length", 1).await;
    browser.open_cases().await;
    browser.until("all('.requests li.row').length === 0").await;
}
