//! A question before its answer: alone, and before a class.

use serde_json::json;
use thirtyfour::Key;

use crate::stage::lab_showing;

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_guess_comes_before_the_answer_and_is_judged() {
    let (lab, browser) = lab_showing("flaky").await;

    browser.press("p").await;
    browser.until("text('h1') === 'flaky'").await;
    let scenario = lab.scenario("flaky");
    let [title, question] = ["title", "question"].map(|name| scenario[name].as_str());
    let (title, question) = (title.expect("a text"), question.expect("a text"));
    let shown = browser.read("document.body.innerText").await.to_string();
    assert!(shown.contains(question) && !shown.contains(title));
    browser.click("[name=guess]").await;
    browser.press("2\u{e007}").await;
    browser.ended().await;

    let verdict = "✗ Your prediction: 2 requests; the answer: 3 requests.";
    browser.shows("text('.answer')", verdict).await;
    let score = "Predict first · 0 of 1 right";
    browser.shows("text('#predict')", score).await;
    browser.says("text('h1')", &[title]).await;
    // The address has the guess, too.
    browser.reload().await;
    browser.ended().await;
    browser.shows("text('.answer')", verdict).await;
    browser.shows("text('#predict')", score).await;

    // While predictions are asked for, each start of a run asks first, with the settings of that
    // run.
    let asked = "text('#run') === 'Run' && one('[name=guess]')?.checkVisibility()";
    let asks = async |premise: &str| {
        browser.until(asked).await;
        browser
            .until(&format!("text('#premises').includes('{premise}')"))
            .await;
        browser.shows("one('#hint').open", false).await;
        browser.click("#hint summary").await;
        browser.press("r").await;
        browser.until("text('#run') === 'Run again'").await;
        browser.ended().await;
    };
    browser.press("r").await;
    asks("3 attempts").await;
    browser.click(".try").await;
    asks("2 attempts").await;
    browser.click("[data-name=items] .run-one").await;
    asks("GET /items").await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn an_instructor_presents_question_run_and_answer() {
    let (_lab, browser) = lab_showing("retry-after-seconds").await;
    browser.press("f").await;

    // Any scenario is one choice away, and its premises stand under the question. The choice is
    // made in one step, as a user's is: the page may be drawn between two.
    let pick = "(one('#pick').value = 'flaky', one('#pick').dispatchEvent(new Event('change')))";
    browser.read(pick).await;
    browser.until("text('h1') === 'flaky'").await;
    browser.until("one('[name=guess]')").await;
    browser
        .until("text('#premises').includes('3 attempts')")
        .await;

    // They are those of the run that the form describes: of two clients it names the one to
    // predict. After a choice the keys act on the page, and not on the list.
    browser.press("3").await;
    browser
        .until("text('#premises').startsWith('Predict the run of the reliable client.')")
        .await;
    browser.press("1").await;
    browser.until("text('#premises').startsWith('(')").await;

    // A run keeps its answer until it is asked for.
    browser.click("[name=guess]").await;
    browser.press("3\u{e007}").await;
    browser.until("one('#tell').checkVisibility()").await;
    let parts = "['h1', '#question', '.picture', '.answer', '#verdict', '#course']\
                 .map((part) => one(part)?.checkVisibility())";
    let shown = json!([true, true, false, false, false, false]);
    browser
        .shows_all(&[
            (
                "text('#goes-on')",
                json!("The run is over, and its answer is hidden."),
            ),
            ("document.activeElement.id", json!("tell")),
            ("text('#predict')", json!("Predict first")),
            (parts, shown.clone()),
        ])
        .await;

    // A reload keeps it hidden. Once it is shown, the key that showed it does nothing more.
    browser.reload().await;
    browser.until("one('#tell').checkVisibility()").await;
    browser.shows(parts, shown).await;
    browser.press_key(Key::Enter).await;
    browser.until("document.activeElement.id === 'stage'").await;
    browser.press_key(Key::Enter).await;
    browser.drawn().await;

    // Picture and answer are on one screen.
    let fits = "['.answer', '.rows'].every((part) => one(part).getBoundingClientRect().bottom <= innerHeight)";
    browser
        .shows_all(&[
            (parts, json!([true, true, true, true, true, false])),
            (
                "text('.answer')",
                json!("✓ Your prediction: 3 requests, correct."),
            ),
            ("text('#predict')", json!("Predict first · 1 of 1 right")),
            (fits, json!(true)),
            (
                "text('h1')",
                json!("flaky — the service fails twice, then recovers"),
            ),
        ])
        .await;
    browser.click("#next").await;
    browser.until("text('h1') === 'flaky-gives-up'").await;

    // After a comparison, whose answer fills the screen, the next question has its premises
    // again; also while no prediction is asked for. Its title stays hidden with its answer.
    browser.press("3r").await;
    browser.until("one('#tell').checkVisibility()").await;
    browser.press("a").await;
    browser
        .until("one('.compared')?.checkVisibility() && !one('#premises').checkVisibility()")
        .await;
    browser.press("n").await;
    let asked = "[all('#scenario-title, #premises > :first-child'), \
                 ...['#premises', '#guess'].map((part) => one(part).checkVisibility())]";
    let words = json!([
        "retry-after-seconds",
        "Predict the run of the reliable client."
    ]);
    for guess in [true, false] {
        browser
            .becomes(asked, json!([words.clone(), true, guess]))
            .await;
        browser.press("p").await;
    }
    browser.press("1").await;

    // A run that goes on says so and for how long, and shows only that it can be cancelled. The
    // choice has moved the focus to the button; Enter does not start another run meanwhile.
    browser
        .read(
            "(one('#pick').value = 'retry-later', one('#pick').dispatchEvent(new Event('change')))",
        )
        .await;
    browser.until("text('h1') === 'retry-later'").await;
    browser.wait_for_long().await;
    let parts = "['#cancel', '.picture', '#tell', '#present']\
                 .map((part) => one(part).checkVisibility())";
    browser
        .becomes(parts, json!([true, false, false, true]))
        .await;
    browser.press_key(Key::Enter).await;
    browser
        .until("/^retry-later runs … [1-9]\\d* s$/.test(text('#goes-on'))")
        .await;
    browser.press("x").await;
    browser.until("one('#tell').checkVisibility()").await;
    browser
        .shows(parts, json!([false, false, true, true]))
        .await;

    // Only a scenario can be presented.
    browser.press("g").await;
    browser.until("!one('#present').checkVisibility()").await;
    browser.read("history.back()").await;
    browser.until("one('#present').checkVisibility()").await;

    // Whoever leaves with a hidden answer is asked before it is shown.
    browser.press("f").await;
    browser.answer(false).await;
    browser.drawn().await;
    browser
        .shows(parts, json!([false, false, true, true]))
        .await;
    browser.press("f").await;
    browser.answer(true).await;
    browser
        .until("text('h1').startsWith('retry-later —')")
        .await;
}
