//! The keyboard alone.

use serde_json::json;
use thirtyfour::Key;

use super::stage::lab_showing;

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_started_and_explored_by_keyboard() {
    let (_lab, browser) = lab_showing("items").await;
    let focused = "document.activeElement.querySelector('.what')?.innerText.trim()";

    // Through the course to flaky, and off.
    browser.press("/flaky").await;
    browser.until("all('.choose .name')[0] === 'flaky'").await;
    browser.press_key(Key::Down).await;
    browser.press_key(Key::Enter).await;
    browser.until("text('h1').startsWith('flaky ')").await;
    browser.press("r").await;
    browser.ended().await;

    // Down the waterfall, and up.
    browser.press("w").await;
    browser
        .until(&format!("{focused}?.endsWith('attempt 1')"))
        .await;
    browser.press_key(Key::End).await;
    browser
        .until(&format!("{focused}?.endsWith('attempt 3')"))
        .await;
    assert_eq!(browser.read("text('#fields h3')").await, "attempt 3");
    assert_eq!(
        browser
            .read("all('#fields dt').includes('http.response.status_code')")
            .await,
        json!(true)
    );
    assert_eq!(browser.read("all('.row.request').length").await, 0);
    browser.press_key(Key::Right).await;
    browser.until("all('.row.request').length === 1").await;
    browser.press_key(Key::Right).await;
    browser
        .until(&format!("{focused}?.endsWith('service')"))
        .await;
    browser.press_key(Key::Left).await;
    browser
        .until(&format!("{focused}?.endsWith('attempt 3')"))
        .await;
    browser.press_key(Key::Left).await;
    browser
        .until("document.activeElement.getAttribute('aria-expanded') === 'false'")
        .await;
    browser.press_key(Key::Home).await;
    browser
        .until(&format!("{focused}?.endsWith('attempt 1')"))
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_tab_key_reaches_every_part_with_a_visible_focus() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser.run().await;
    browser
        .read("document.querySelector('.skip').focus()")
        .await;

    let mut reached = Vec::new();
    for _ in 0..40 {
        browser.press_key(Key::Tab).await;
        let place = "(() => {
            const focus = document.activeElement;
            const ring = getComputedStyle(focus.matches('.choice input') ? focus.nextElementSibling : focus).outlineStyle;
            const names = ['header', '.course', '.runs', '#form', '.grid', '#actions', '.ledger'];
            return [ring, names.find((name) => focus.closest(name)) ?? focus.tagName];
        })()";
        let found = browser.read(place).await;
        if found[1] == "BODY" {
            break;
        }
        assert_ne!(found[0], "none", "the focus is not seen on {}", found[1]);
        reached.push(found[1].as_str().expect("a name").to_owned());
    }

    reached.dedup();
    for part in [
        "header", ".course", ".runs", "#form", ".grid", "#actions", ".ledger",
    ] {
        assert!(
            reached.iter().any(|name| name == part),
            "{part} is not in {reached:?}"
        );
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_first_link_skips_to_the_content() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser
        .read("document.querySelector('.skip').focus()")
        .await;
    browser.press_key(Key::Enter).await;

    browser.until("document.activeElement.id === 'stage'").await;
    assert_eq!(browser.read("text('#problem')").await, "");
    assert_eq!(
        browser.read("text('.choose[aria-current] .name')").await,
        "flaky"
    );
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_keys_are_listed_and_can_be_turned_off() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.press("?").await;
    browser.until("document.querySelector('dialog').open").await;
    assert_eq!(
        browser.read("all('dialog dt').slice(0, 2)").await,
        json!(["r", "x"])
    );
    browser.click("#keys-on").await;
    browser.press_key(Key::Escape).await;
    browser
        .until("!document.querySelector('dialog').open")
        .await;
    browser.press("p").await;

    assert_eq!(
        browser
            .read("document.querySelector('#predict').getAttribute('aria-pressed')")
            .await,
        "false"
    );
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_screen_reader_hears_only_the_start_and_the_end() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser
        .read(
            "(() => { window.announced = []; const live = document.querySelector('#announce');
              new MutationObserver(() => announced.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;

    browser.run().await;
    browser.until("announced.length >= 2").await;

    assert_eq!(
        browser
            .read("announced.map((words) => words.replace(/(\\d+) of \\1/, 'all'))")
            .await,
        json!([
            "flaky runs",
            "flaky: ended with ok, attempt = 3, 3 attempts, all expectations held"
        ])
    );
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn presentation_mode_hides_the_answer_until_a_key() {
    let (_lab, browser) = lab_showing("flaky").await;
    let shown = "['h1', '#question', '#verdict', '#course']\
                 .map((it) => document.querySelector(it).checkVisibility())";

    browser.press("f").await;
    browser.until("text('h1') === 'flaky'").await;
    let asked = browser.read(shown).await;
    browser.press("r").await;
    browser
        .until("document.querySelector('#tell').checkVisibility()")
        .await;
    let held = browser.read(shown).await;
    let rows = browser.read("all('.body .row').length").await;
    browser.press("a").await;
    browser
        .until("document.activeElement.id === 'verdict'")
        .await;
    let told = browser.read(shown).await;
    let title = browser.read("text('h1')").await;
    browser.press("n").await;
    browser.until("text('h1') === 'flaky-gives-up'").await;
    browser.press("f").await;
    browser
        .until("text('h1').startsWith('flaky-gives-up —')")
        .await;

    assert_eq!(asked, json!([true, true, false, false]));
    assert_eq!(held, json!([true, true, false, false]));
    assert_eq!(rows, 5, "what happened is for everybody to see");
    assert_eq!(told, json!([true, true, true, false]));
    assert_eq!(title, "flaky — the service fails twice, then recovers");
}
