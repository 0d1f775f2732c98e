//! The keyboard alone.

use serde_json::json;
use thirtyfour::Key;

use crate::stage::lab_showing;

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_started_and_explored_by_keyboard() {
    let (_lab, browser) = lab_showing("items").await;
    let focused = "document.activeElement.querySelector('.what')?.innerText.trim()";

    // Through the course to flaky, and off.
    browser.press("/flaky").await;
    browser
        .until("all('.course li:not([hidden]) .name')[0] === 'flaky'")
        .await;
    browser.press_key(Key::Down).await;
    browser.press_key(Key::Enter).await;
    browser.until("text('h1').startsWith('flaky ')").await;
    browser.press("r").await;
    browser.ended().await;

    // Down the waterfall, and up.
    browser.press("w").await;
    let reaches = async |end: &str| {
        browser
            .until(&format!("{focused}?.endsWith('{end}')"))
            .await;
    };
    reaches("attempt 1").await;
    browser.press_key(Key::End).await;
    reaches("attempt 3").await;
    let visible = "each('.facts').filter((facts) => facts.checkVisibility()).length";
    browser.shows(visible, 0).await;
    browser.press_key(Key::Right).await;
    browser.until(&format!("{visible} === 1")).await;
    browser
        .says("text('[open] > .facts')", &["Started at ", "lasted "])
        .await;
    browser.press_key(Key::Down).await;
    reaches("service").await;
    browser.press_key(Key::Left).await;
    reaches("attempt 3").await;
    browser.press_key(Key::Left).await;
    browser.until(&format!("{visible} === 0")).await;
    browser.press_key(Key::Home).await;
    reaches("attempt 1").await;
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_tab_key_reaches_every_part_with_a_visible_focus() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser.run().await;
    browser.read("one('.skip').focus()").await;

    let parts = [
        "header", ".course", ".runs", "#form", ".rows", "#actions", ".wide",
    ];
    let mut reached = Vec::new();
    for _ in 0..40 {
        browser.press_key(Key::Tab).await;
        let place = format!("(() => {{
            const focus = document.activeElement;
            const ring = getComputedStyle(focus.matches('.choice input') ? focus.nextElementSibling : focus).outlineStyle;
            return [ring, {}.find((name) => focus.closest(name)) ?? focus.tagName];
        }})()", json!(parts));
        let found = browser.read(&place).await;
        if found[1] == "BODY" {
            break;
        }
        assert_ne!(found[0], "none", "the focus is not seen on {}", found[1]);
        reached.push(found[1].as_str().expect("a name").to_owned());
    }

    for part in parts {
        let is_reached = reached.iter().any(|name| name == part);
        assert!(is_reached, "{part} is not in {reached:?}");
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_first_link_skips_to_the_content() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.read("one('.skip').focus()").await;
    browser.press_key(Key::Enter).await;

    browser.until("document.activeElement.id === 'stage'").await;
    browser.shows("text('#problem')", "").await;
    let chosen = "text('.choose[aria-current] .name')";
    browser.shows(chosen, "flaky").await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_keys_are_listed_and_can_be_turned_off() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.press("?").await;
    browser.until("one('dialog').open").await;
    let keys = "all('dialog dt').slice(0, 2)";
    browser.shows(keys, json!(["r", "x"])).await;
    browser.click("#keys-on").await;
    browser.press_key(Key::Escape).await;
    browser.until("!one('dialog').open").await;
    browser.press("p").await;

    let predicts = "one('#predict').getAttribute('aria-pressed')";
    browser.shows(predicts, "false").await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_screen_reader_hears_only_the_start_and_the_end() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser
        .read(
            "(() => { window.announced = []; const live = one('#announce');
              new MutationObserver(() => announced.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;

    browser.run().await;
    browser.until("announced.length >= 2").await;

    let heard = "announced.map((words) => words.replace(/(\\d+) of \\1/, 'all'))";
    let end = "flaky: ended with ok, attempt = 3, 3 attempts, all expectations of the lab held";
    browser.shows(heard, json!(["flaky runs", end])).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn presentation_mode_hides_the_answer_until_a_key() {
    let (_lab, browser) = lab_showing("flaky").await;
    let shown = "['h1', '#question', '.picture', '.answer', '#verdict', '#course']\
                 .map((part) => one(part)?.checkVisibility())";
    let score = "text('#predict')";

    browser.press("p").await;
    browser.press("f").await;
    browser.until("text('h1') === 'flaky'").await;
    browser.click("[name=guess]").await;
    browser.press("2\u{e007}").await;
    browser.until("one('#tell').checkVisibility()").await;
    browser.shows(score, "Predict first").await;
    browser
        .shows(shown, json!([true, true, false, false, false, false]))
        .await;
    browser.press("a").await;
    browser.until("document.activeElement.id === 'next'").await;
    browser.shows(score, "Predict first · 0 of 1 right").await;
    // Picture and answer are on one screen.
    let fits = "['.answer', '.rows'].every((part) => one(part).getBoundingClientRect().bottom <= innerHeight)";
    browser.shows(fits, true).await;
    browser
        .shows(shown, json!([true, true, true, true, true, false]))
        .await;
    let title = "flaky — the service fails twice, then recovers";
    browser.shows("text('h1')", title).await;
    browser.click("#next").await;
    browser.until("text('h1') === 'flaky-gives-up'").await;
    browser.press("f").await;
    browser.press("p").await;
    browser
        .until("text('h1').startsWith('flaky-gives-up —')")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn presentation_mode_hides_a_run_that_goes_on() {
    let (_lab, browser) = lab_showing("retry-later").await;
    let shown = "['#cancel', '.picture', '#tell', '#present']\
                 .map((part) => one(part).checkVisibility())";

    browser.press("f").await;
    browser.wait_for_long().await;
    browser
        .becomes(shown, json!([true, false, false, true]))
        .await;
    browser.press("x").await;
    browser.until("one('#tell').checkVisibility()").await;
    browser
        .shows(shown, json!([false, false, true, true]))
        .await;
    // Only a scenario can be presented.
    browser.press("g").await;
    browser.until("!one('#present').checkVisibility()").await;
}

/// A guess counts without *Predict first*, and the premises stand under the question.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn presentation_mode_asks_with_the_premises_and_chooses_any_scenario() {
    let (_lab, browser) = lab_showing("retry-after-seconds").await;
    browser.press("f").await;

    // In one step, as a user's choice is: the page may be drawn between two.
    let pick = "(one('#pick').value = 'flaky', one('#pick').dispatchEvent(new Event('change')))";
    browser.read(pick).await;
    browser.until("text('h1') === 'flaky'").await;
    browser.until("one('[name=guess]')").await;
    browser
        .until("text('#premises').includes('3 attempts')")
        .await;
    browser.click("[name=guess]").await;
    // The waits of a run may be so short that it is over before a look.
    let watch = "(window.said = [], new MutationObserver(() => window.said.push(text('#goes-on')))
        .observe(one('#goes-on'), { childList: true, characterData: true, subtree: true }))";
    browser.read(watch).await;
    browser.press("3\u{e007}").await;
    browser.until("window.said.includes('flaky runs …')").await;
    browser.until("one('#tell').checkVisibility()").await;
    browser.press("a").await;

    browser
        .becomes("text('.answer')", "✓ Your guess: 3 requests, correct.")
        .await;
    browser.shows("text('#goes-on')", "").await;
}
