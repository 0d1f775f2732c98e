//! The keyboard alone, and a screen reader.

use serde_json::json;
use thirtyfour::Key;

use crate::stage::{Browser, lab_showing};

/// Goes through the page with the Tab key: every part is reached, with a visible focus.
async fn assert_tab_reaches_every_part(browser: &Browser) {
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
async fn a_run_is_started_heard_and_explored_by_keyboard() {
    let (_lab, browser) = lab_showing("items").await;
    let focused = "document.activeElement.querySelector('.what')?.innerText.trim()";

    // The first link skips to the content.
    browser.read("one('.skip').focus()").await;
    browser.press_key(Key::Enter).await;
    browser.until("document.activeElement.id === 'stage'").await;
    browser.shows("text('#problem')", "").await;
    let chosen = "text('.choose[aria-current] .name')";
    browser.shows(chosen, "items").await;

    // Through the course to flaky, and off. A screen reader hears the start and the end alone.
    browser.press("/flaky").await;
    browser
        .until("all('.course li:not([hidden]) .name')[0] === 'flaky'")
        .await;
    browser.press_key(Key::Down).await;
    browser.press_key(Key::Enter).await;
    browser.until("text('h1').startsWith('flaky ')").await;
    browser
        .read(
            "(() => { window.announced = []; const live = one('#announce');
              new MutationObserver(() => announced.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;
    browser.press("r").await;
    browser.ended().await;
    browser.until("announced.length >= 2").await;
    let heard = "announced.map((words) => words.replace(/(\\d+) of \\1/, 'all'))";
    let end = "flaky: ok on attempt 3, 3 attempts, all expectations of the lab held";
    browser.shows(heard, json!(["flaky runs", end])).await;

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

    assert_tab_reaches_every_part(&browser).await;

    // The keys are listed, and can be turned off.
    browser.press("?").await;
    browser.until("one('dialog').open").await;
    let keys = "all('dialog dt').slice(0, 2)";
    browser.shows(keys, json!(["r", "x"])).await;
    browser.click("#keys-on").await;
    browser.press_key(Key::Escape).await;
    browser.until("!one('dialog').open").await;
    browser.press("p").await;
    browser.drawn().await;
    let predicts = "one('#predict').getAttribute('aria-pressed')";
    browser.shows(predicts, "false").await;
    assert_eq!(browser.complaints().await, [""; 0]);
}
