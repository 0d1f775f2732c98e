//! Accessibility, as far as a program can check it.

use std::{env, fs, path::Path};

use testkit::http::raw;
use thirtyfour::Key;

use crate::stage::{Browser, Lab, PROJECTOR, TELEPHONE};

/// axe-core, from where `AXE_CORE` says that npm put it.
fn axe() -> String {
    let folder = env::var_os("AXE_CORE")
        .expect("AXE_CORE names the folder that npm installed axe-core into");
    let path = Path::new(&folder).join("node_modules/axe-core/axe.min.js");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

async fn assert_accessible(browser: &Browser, view: &str) {
    let script = format!(
        "{}; axe.run({{ resultTypes: ['violations'] }}).then(({{ violations }}) => done(violations.map(
             ({{ id, nodes }}) => id + ': ' + nodes.map((node) => node.target + ' ' + node.failureSummary).join(', '))))",
        axe()
    );
    let violations = browser.ask(&script).await;
    assert_eq!(violations, serde_json::json!([]), "in {view}");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn axe_finds_no_violation_on_any_view_in_either_scheme() {
    let lab = Lab::start();
    for scheme in ["dark", "light"] {
        for size in [PROJECTOR, TELEPHONE] {
            let browser = Browser::at(&lab, size, "flaky").await;
            let flaky = "text('.choose[aria-current] .name') === 'flaky'";
            browser.in_scheme(scheme, flaky).await;
            let view = |name: &str| format!("{name}, {scheme}, {} pixels wide", size.0);

            assert_accessible(&browser, &view("before a run")).await;
            browser.press("p").await;
            browser.click("#settings-summary").await;
            assert_accessible(&browser, &view("a prediction")).await;
            browser.press("p3").await;
            browser.run().await;
            browser.press("w").await;
            browser.press_key(Key::Right).await;
            browser.until("text('[open] > .facts')").await;
            assert_accessible(&browser, &view("a comparison")).await;
            raw(
                &lab.service,
                "GET /flaky HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            );
            browser.until("all('#wire tbody tr').length > 0").await;
            assert_accessible(&browser, &view("requests from elsewhere")).await;
            browser.press("?").await;
            browser.until("one('dialog').open").await;
            assert_accessible(&browser, &view("the keys")).await;

            let browser = Browser::at_grade(&lab, size).await;
            let tasks = "one('#tasks > li')";
            browser.in_scheme(scheme, tasks).await;
            browser.open_cases().await;
            browser.call("retry-after").await;
            browser.call("retry-after").await;
            browser.until("text('.rules .failed')").await;
            browser.click(".task.failed .hint summary").await;
            assert_accessible(&browser, &view("a broken rule")).await;
            let over = "document.documentElement.scrollWidth - innerWidth";
            assert_eq!(browser.read(over).await, 0, "{}", view("a broken rule"));

            let asked = "story=spike&calls_per_second=20&workers=3&own.attempts=5";
            let browser = Browser::at_storm(&lab, size, asked).await;
            browser.in_scheme(scheme, "text('#storm-guesses')").await;
            assert_accessible(&browser, &view("a storm to come")).await;
            browser.click("#storm-guesses label").await;
            browser.press("r").await;
            browser.storm_ended().await;
            assert_accessible(&browser, &view("a storm")).await;
            assert_eq!(browser.read(over).await, 0, "{}", view("a storm"));
        }
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_page_does_not_scroll_sideways_on_a_phone() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, TELEPHONE, "retry-after-unusable").await;
    browser.press("3").await;
    browser.click("label:has([value=virtual])").await;

    browser.run().await;
    browser.press("w").await;
    browser.press_key(Key::Right).await;
    browser.until("text('[open] > .facts')").await;

    let root = "document.documentElement";
    let over = format!("{root}.scrollWidth - {root}.clientWidth");
    browser.shows(&over, 0).await;
    browser.shows("innerWidth", 390).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn on_a_phone_the_course_and_the_next_scenario_are_one_press_away() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, TELEPHONE, "flaky").await;
    browser.run().await;
    let at_the_top = "one('#to-course').checkVisibility() && one('#help').checkVisibility()";
    browser.until(at_the_top).await;

    browser.click("#to-course").await;
    browser
        .until("document.activeElement.closest('#course') && one('#course').getBoundingClientRect().top < innerHeight")
        .await;
    browser.click("#next").await;

    browser
        .until("text('.choose[aria-current] .name') === 'flaky-gives-up'")
        .await;
}
