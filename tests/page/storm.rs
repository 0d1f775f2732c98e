//! Storm as a person uses it: by keyboard, with its form, while it goes on, and presented.

use serde_json::json;
use thirtyfour::Key;

use crate::stage::{Browser, Lab, lab_showing};

/// The address of a storm of a few virtual seconds.
pub(crate) const SHORT: &str =
    "/storm/spike?calls_per_second=20&workers=3&incident_lasts=2&length=16&attempts=5";

/// The address of a storm that runs longer than any test.
const LONG: &str = "/storm/spike?calls_per_second=1000&length=600";

impl Browser {
    /// Loads a storm, and waits for its end.
    pub(crate) async fn show_storm(&self, lab: &Lab, path: &str) {
        self.show(lab, path).await;
        self.until("!one('#main').dataset.changes").await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_storm_is_guessed_varied_and_cancelled() {
    let (lab, browser) = lab_showing("/?predict").await;

    // A guess is made by keyboard, and judged.
    browser.press_on("m").await;
    browser.shows("text('h1')", "Storm: spike").await;
    browser.read("one('.storm fieldset input').focus()").await;
    for _ in 0..4 {
        browser.press(" ").await;
        browser.press_key(Key::Tab).await;
    }
    browser.press_on("r").await;
    browser.until("!one('#main').dataset.changes").await;
    browser
        .shows("text('.said')", "Your guess: 2 of 4 right.")
        .await;
    let guessed = "/storm/spike?guess=ok-ok-ok-ok&predict";
    assert_eq!(browser.address().await, guessed);
    browser.reload().await;
    assert_eq!(browser.address().await, guessed);

    // Another seed is another storm, which Back leaves.
    browser.press_on("r").await;
    assert_eq!(browser.address().await, "/storm/spike?seed=2&predict");
    browser.back().await;
    assert_eq!(browser.address().await, guessed);

    assert_eq!(browser.complaints().await, [""; 0]);

    // A wrong setting is named and stays typed; the mended one is in the address.
    browser.show_storm(&lab, SHORT).await;
    browser.click("#settings summary").await;
    browser.read("one('[name=workers]').value = '0'").await;
    browser.submit("#settings button").await;
    let rule = ["✗ Not run. Workers: it must be a whole number from 1 to 10000, got “0”."];
    browser.says("text('.wrong')", &rule).await;
    // The browser logs the status of the page.
    let refused = browser.complaints().await;
    assert!(
        refused.iter().all(|line| line.contains("status of 422")),
        "{refused:?}"
    );
    browser.read("one('[name=workers]').value = '4'").await;
    browser.submit("#settings button").await;
    browser.until("!one('#main').dataset.changes").await;
    assert_eq!(
        browser.address().await,
        SHORT.replace("workers=3", "workers=4")
    );
    browser.shows("all('.storm tbody th').length", 6).await;

    // While it goes on, what is open stays open, and its rows grow.
    browser.show(&lab, LONG).await;
    browser.is_live().await;
    browser.click("#settings summary").await;
    browser.read("one('[name=queue]').focus()").await;
    let drawn = "(one('.storm tr:not(.load) path.line')?.getAttribute('d').length ?? 0)";
    browser.until(&format!("{drawn} > 0")).await;
    let before = browser.read(drawn).await.as_u64().expect("a number");
    browser.until(&format!("{drawn} > {before}")).await;
    let stays = "[one('#settings').open, document.activeElement.name]";
    browser.shows(stays, json!([true, "queue"])).await;
    browser.read("document.activeElement.blur()").await;
    browser.press_on("x").await;
    browser.until("!one('#main').dataset.changes").await;
    browser
        .shows("text('#announce')", "The storm was cancelled.")
        .await;
    browser.press_on("r").await;
    browser
        .shows("text('#announce')", "The storm goes on.")
        .await;
    browser.press_on("x").await;
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_storm_is_presented_with_the_keyboard_alone() {
    let (lab, browser) = lab_showing("/").await;
    browser.show_storm(&lab, "/storm/spike").await;

    browser.press_on("f").await;
    let charts = "each('.storm .fill-good').length";
    let words = "all('.storm .word').length";
    browser
        .settles(&format!("{charts} === 0 && {words} === 0"))
        .await;
    for rows in 1..=4 {
        browser.press_on("ArrowRight").await;
        browser
            .settles(&format!("{charts} === {rows} && {words} === 0"))
            .await;
    }
    browser.press_on("ArrowRight").await;
    browser
        .settles(&format!("{words} === 4 && !one('.said')"))
        .await;
    browser.press_on("ArrowRight").await;
    browser
        .settles("text('.said')?.startsWith('What it shows.')")
        .await;
    browser
        .shows("document.documentElement.scrollHeight <= innerHeight", true)
        .await;
    browser.press_on("ArrowLeft").await;
    browser.settles("!one('.said')").await;
    browser.press_on("f").await;
    browser
        .settles("location.pathname + location.search === '/storm/spike'")
        .await;

    // With the focus in a guess, right goes on and changes no guess.
    browser
        .show_storm(&lab, "/storm/spike?present&predict")
        .await;
    browser
        .read("each('.storm [type=radio][value=ok]').forEach((guess) => guess.click())")
        .await;
    browser
        .read("one('.storm [type=radio]:checked').focus()")
        .await;
    browser.press_on("ArrowRight").await;
    browser
        .settles("location.search.startsWith('?guess=ok-ok-ok-ok&step=2')")
        .await;
}
