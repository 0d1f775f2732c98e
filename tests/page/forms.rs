//! The forms: each is accepted by the browser's policy and by the guard, with and without scripts.

use serde_json::json;

use crate::stage::{Browser, Lab, lab_showing};

/// The number of runs that the lab keeps.
async fn runs(browser: &Browser) -> u64 {
    let list = "fetch('/api/runs').then((list) => list.json()).then(({ length }) => done(length))";
    browser.ask(list).await.as_u64().expect("a number")
}

/// From the overview to a run and back, as a person goes who presses what is there.
async fn go_through_the_forms(lab: &Lab, browser: &Browser, has_scripts: bool) {
    let result = "text('#happened')";

    // *Run flaky* leads to the run. A reload runs nothing, and Back leads to the overview.
    browser.show(lab, "/").await;
    browser.submit(".hero .primary").await;
    browser
        .settles(&format!("{result} === '✓ok on attempt 3'"))
        .await;
    let run = browser.address().await;
    browser.reload().await;
    assert_eq!(browser.address().await, run);
    browser.back().await;
    browser
        .settles("location.pathname === '/' && text('.hero h1')")
        .await;
    browser.show(lab, &run).await;

    // *Run again* is one press, and makes another run.
    browser.submit("#run").await;
    assert_ne!(browser.address().await, run);
    browser
        .settles(&format!("{result} === '✓ok on attempt 3'"))
        .await;

    // A setting is tried in the address first, then run; a bad one is named, and stays typed.
    browser.click("#settings summary").await;
    browser.read("one('[name=max_attempts]').value = '2'").await;
    browser.submit("[formmethod=get]").await;
    browser
        .shows("all('.premises li')[1]", "up to 2 attempts")
        .await;
    browser.click("label:has([value=virtual])").await;
    browser.submit("#run").await;
    let gave_up = "✓gave up, as expected · 503";
    browser.shows(result, gave_up).await;
    browser.read("one('[name=seed]').value = '-1'").await;
    browser.submit("#run").await;
    browser
        .says(
            "text('.wrong')",
            &["✗ Not run. Seed: it must be a whole number from 0"],
        )
        .await;
    browser
        .shows_all(&[
            ("one('[name=seed]').value", json!("-1")),
            (result, json!(gave_up)),
        ])
        .await;

    // A guess about a run that is there, a guess before a run, and one of choices.
    browser.show(lab, &format!("{run}?predict")).await;
    browser.read("one('[name=guess]').value = '3'").await;
    browser.submit("#form .primary").await;
    let right = "✓ Your prediction: 3 requests, correct.";
    browser.shows("text('.answer')", right).await;
    browser
        .show(lab, "/scenarios/text-json?predict&pace=virtual")
        .await;
    browser.submit("[name=guess][value=a]").await;
    browser
        .says(
            "text('.answer')",
            &["✗ Your prediction: the records; the answer: an error"],
        )
        .await;

    // A run that waits is cancelled.
    browser
        .show(lab, "/scenarios/retry-later?max_retry_after_seconds=120")
        .await;
    browser.submit("#run").await;
    browser.submit("[action$='/cancel'] button").await;
    browser.shows(result, "⊘ cancelled after 1 request").await;

    // The list is filtered.
    browser.show(lab, "/runs").await;
    browser
        .read("one('[name=ending]').value = 'cancelled'")
        .await;
    browser.submit("form [type=submit]").await;
    browser
        .shows(
            "[...new Set(all('.traces tbody th'))]",
            json!(["retry-later"]),
        )
        .await;

    let complaints = browser.complaints().await;
    let refused: Vec<_> = complaints
        .iter()
        .filter(|complaint| !complaint.contains(" 422 "))
        .collect();
    assert_eq!(refused, [""; 0], "scripts: {has_scripts}");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn every_form_is_accepted_with_scripts_and_without() {
    let (lab, browser) = lab_showing("/").await;
    go_through_the_forms(&lab, &browser, true).await;
    let made = runs(&browser).await;

    let off = json!({ "value": true });
    browser
        .tool("Emulation.setScriptExecutionDisabled", off)
        .await;
    go_through_the_forms(&lab, &browser, false).await;
    let on = json!({ "value": false });
    browser
        .tool("Emulation.setScriptExecutionDisabled", on)
        .await;
    assert_eq!(runs(&browser).await, 2 * made);
}
