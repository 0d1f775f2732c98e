//! A run that is cancelled while it waits.

use serde_json::json;

use crate::stage::lab_showing;

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_cancelled_by_a_key_and_by_a_button() {
    let (_lab, browser) = lab_showing("retry-later").await;
    for by_key in [true, false] {
        browser.wait_for_long().await;

        if by_key {
            browser.press("x").await;
        } else {
            // The page fetches the run again and again. That leaves the form alone, and the
            // message of an action.
            browser.click("label:has([value=virtual])").await;
            browser.click("#settings-summary").await;
            browser.click("[name=seed]").await;
            browser.press("x\u{e007}").await;
            browser.until("text('#problem') !== ''").await;
            let problem = browser.read("text('#problem')").await;
            browser.read("window.before = text('.result')").await;
            browser.until("text('.result') !== before").await;
            browser.shows("text('#problem')", problem).await;
            browser.click("#cancel").await;
        }
        browser.ended().await;

        // The keyboard focus moves from the removed button to one that remains.
        let focus = if by_key { "BODY" } else { "BUTTON#run" };
        let focused = "document.activeElement.tagName + (document.activeElement.id && '#' + document.activeElement.id)";
        let pace = if by_key { "real" } else { "virtual" };
        browser
            .shows_all(&[
                ("text('.result')", json!("⊘ cancelled after 1 request")),
                ("text('#runs .mark')", json!("⊘")),
                ("text('#problem')", json!("")),
                (focused, json!(focus)),
                (
                    "text('#verdict').endsWith('cancelled, so nothing is judged')",
                    json!(true),
                ),
                ("one('#cancel').hidden", json!(true)),
                ("one('#form').elements.pace.value", json!(pace)),
            ])
            .await;
        let wait = "text('details.wait > summary .what')";
        browser.says(wait, &[", cut off after "]).await;
    }
}
