//! The keyboard alone.

use serde_json::json;
use thirtyfour::Key;

use crate::stage::{Browser, lab_showing};

/// Goes through the page with the Tab key: every part is reached, with a visible focus.
async fn assert_tab_reaches_every_part(browser: &Browser, parts: &[&str]) {
    browser.read("one('.skip').focus()").await;
    let mut reached = Vec::new();
    for _ in 0..80 {
        browser.press_key(Key::Tab).await;
        let place = format!(
            "(() => {{
            const focus = document.activeElement;
            const ring = getComputedStyle(focus.matches('.tabs input') ? focus.nextElementSibling : focus).outlineStyle;
            return [ring, {}.find((name) => focus.closest(name)) ?? focus.tagName];
        }})()",
            json!(parts)
        );
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
async fn a_run_is_started_compared_and_explored_by_keyboard() {
    let (_lab, browser) = lab_showing("/").await;

    // The first link skips to the content.
    browser.read("one('.skip').focus()").await;
    browser.press_key(Key::Enter).await;
    browser.until("document.activeElement.id === 'main'").await;
    browser.press_on("r").await;
    browser
        .until("text('#happened') === '✓ok on attempt 3'")
        .await;
    browser.press("3").await;
    browser.press_on("r").await;
    browser
        .until("text('#happened') !== '✓ok on attempt 3' && all('.lane-of-run').length === 2")
        .await;
    browser.press_on("n").await;
    browser.until("text('h1') === 'flaky-gives-up'").await;
    browser.press_on("b").await;
    browser.until("text('h1') === 'flaky'").await;

    // To the first row of the run, which Enter opens.
    browser.press("w").await;
    browser
        .until("document.activeElement.matches('summary.row')")
        .await;
    browser.press_key(Key::Enter).await;
    browser
        .until("one('[open] > .facts')?.checkVisibility()")
        .await;
    let parts = [
        ".top", "#side", ".titled", "#form", ".rows", ".wide", ".actions",
    ];
    assert_tab_reaches_every_part(&browser, &parts).await;

    // The keys are listed, and can be turned off.
    browser.press("?").await;
    browser.until("one('#keys').matches(':popover-open')").await;
    browser.click("#keys-on").await;
    browser.press_key(Key::Escape).await;
    browser
        .until("!one('#keys').matches(':popover-open')")
        .await;
    let before = browser.address().await;
    browser.press("p").await;
    browser.drawn().await;
    assert_eq!(browser.address().await, before);
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_class_is_led_by_keyboard_and_the_answer_is_hidden_until_it_is_revealed() {
    let (lab, browser) = lab_showing("/course?predict").await;
    browser.submit("[href$='plan=45&stop=4']").await;
    let shown = "['.premises', '.rows', '.stake', '.said', '.top'].map((part) => Boolean(one(part)?.checkVisibility()))";
    let step = "text('.step')";

    // The question with a guess, as a class makes it; then both clients, the answer, the lesson.
    browser.shows(step, "1 of 5").await;
    browser
        .shows(shown, json!([true, false, false, false, false]))
        .await;
    browser.press("?").await;
    browser.until("one('#keys').matches(':popover-open')").await;
    browser.read("one('#keys').hidePopover()").await;
    browser.read("one('[name=guess]').focus()").await;
    browser.press("2").await;
    browser.press_on("Enter").await;
    browser.settles("text('.step') === '2 of 5'").await;
    browser
        .shows(shown, json!([false, true, false, false, false]))
        .await;
    browser.shows("all('.lane-of-run').length", 1).await;
    browser.press_on("ArrowRight").await;
    browser.settles("text('.step') === '3 of 5'").await;
    browser.shows("all('.lane-of-run').length", 2).await;
    browser
        .shows("document.documentElement.scrollHeight <= innerHeight", true)
        .await;
    browser.press_on("ArrowRight").await;
    browser.settles("text('.step') === '4 of 5'").await;
    browser.shows("all('.stake b')", json!(["1", "2"])).await;
    browser
        .says("text('.said')", &["✗ Your prediction: 2 jobs"])
        .await;
    browser.press_on("ArrowRight").await;
    browser.settles("text('.step') === '5 of 5'").await;
    browser
        .says("text('.said')", &["a lost request look the same"])
        .await;
    // Everything is on one screen, in large type.
    browser
        .shows_all(&[
            ("each('.stake, .said, .row:not(.head)').filter((part) => part.checkVisibility()).every((part) => part.getBoundingClientRect().bottom <= innerHeight)", json!(true)),
            (TOO_SMALL, json!([])),
        ])
        .await;
    browser.press_on("ArrowLeft").await;
    browser.settles("text('.step') === '4 of 5'").await;
    // A guess that comes late is sent by the same key, which asks for it first.
    let run = browser.address().await;
    let (run, _) = run.split_once('?').expect("a step");
    browser
        .show(&lab, &format!("{run}?step=2&present&predict"))
        .await;
    browser.press_key(Key::Right).await;
    browser
        .shows(
            "document.activeElement === one('[name=guess]:invalid')",
            true,
        )
        .await;
    browser.press("2").await;
    browser.press_on("ArrowRight").await;
    browser.settles("all('.lane-of-run').length === 1").await;
    browser.press_on("f").await;
    browser.settles("one('.top')?.checkVisibility()").await;
}

/// The texts of a presentation that are smaller than 20 pixels.
const TOO_SMALL: &str = "each('main *').filter((part) => part.checkVisibility() && !part.matches('.unseen, .ticks *, .lasted')
    && [...part.childNodes].some((child) => child.nodeType === 3 && child.data.trim())
    && parseFloat(getComputedStyle(part).fontSize) < 20).map((part) => part.outerHTML)";
