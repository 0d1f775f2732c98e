//! Running scenarios, and looking at runs.

use serde_json::{Value, json};

use crate::stage::{Browser, Lab, lab_showing};

/// The result of a run. The number of rules that apply to `flaky` depends on the length
/// of its waits.
const RESULT: &str = "text('.result').replace(/(\\d+) of \\1/g, 'all')";

/// The number of rows of the service's side that are shown.
const VISIBLE_REQUESTS: &str =
    "each('.span.request').filter((row) => row.checkVisibility()).length";

/// The selected scenario, run in virtual time by the client of this key.
async fn virtual_run(scenario: &str, client: &str) -> (Lab, Browser) {
    let (lab, browser) = lab_showing(scenario).await;
    browser.click("label:has([value=virtual])").await;
    browser.press(client).await;
    browser.run().await;
    (lab, browser)
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn flaky_shows_three_attempts_two_waits_and_a_verdict() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.click(".choose[aria-current] + .run-one").await;
    browser.ended().await;

    let attempts = [
        "503 Service Unavailable",
        "503 Service Unavailable",
        "200 OK",
    ];
    let waits = ["backoff, at most 200 ms", "backoff, at most 400 ms"];
    let result = "ended with ok, attempt = 3 · 3 attempts · ✓ all expectations of the lab held";
    let change = "all('.counters tbody b').slice(0, 2)";
    for (expression, expected) in [
        ("all('.span.attempt > summary .how')", json!(attempts)),
        ("all('.span.wait > summary .how')", json!(waits)),
        // The service's record agrees with the client's, so its row is folded.
        (VISIBLE_REQUESTS, json!(0)),
        (RESULT, json!(result)),
        ("all('.checks li.ok').length >= 5", json!(true)),
        ("all('.checks li.failed').length", json!(0)),
        (
            "all('.checks .source').slice(0, 2)",
            json!(["client", "wire"]),
        ),
        (
            "all('[aria-labelledby=wire-reliable] tbody tr').length",
            json!(3),
        ),
        (change, json!(["+3", "+2"])),
    ] {
        browser.shows(expression, expected).await;
    }
    let lesson = "A 503 is often temporary.";
    browser.says("text('.lesson')", &[lesson]).await;
}

/// The server draws the run again and again; only what has changed is replaced.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_reader_keeps_the_place_while_a_run_goes_on() {
    let (_lab, browser) = lab_showing("retry-after-seconds").await;
    browser.press("r").await;
    browser
        .until("text('.span.wait > summary .how')?.includes(' s left')")
        .await;
    let row = "one('.span.attempt > summary')";
    browser.click(".span.attempt > summary").await;
    browser
        .read(&format!(
            "(() => {{ window.row = {row}; row.focus(); getSelection().selectAllChildren(one('.facts p'));
               one('#stage').style.paddingBottom = '2000px'; one('#stage').scrollTop = 40; }})()"
        ))
        .await;
    let selected = "getSelection().toString()";
    let text = browser.read(selected).await;

    browser.ended().await;

    browser
        .shows(&format!("{row} === window.row && row.isConnected"), true)
        .await;
    browser
        .shows(
            "document.activeElement === row && row.parentElement.open",
            true,
        )
        .await;
    browser.shows(selected, text).await;
    browser.shows("one('#stage').scrollTop", 40).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_wait_counts_down_while_it_is_open() {
    let (_lab, browser) = lab_showing("retry-after-seconds").await;
    browser
        .read(
            "(() => { window.left = []; new MutationObserver(() => {
                const found = /^([\\d.]+) s left · Retry-After$/.exec(text('.span.wait > summary .how'));
                if (found && found[1] !== left.at(-1)) left.push(found[1]);
              }).observe(one('#story'), { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;

    browser.run().await;

    let left = browser.read("left.map(Number)").await;
    let left: Vec<f64> = serde_json::from_value(left).expect("numbers");
    assert!(left.len() > 2, "{left:?}");
    assert!(left.is_sorted_by(|one, next| one > next), "{left:?}");
    browser
        .shows("text('.span.wait > summary .how')", "Retry-After")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_cancelled_by_a_key_and_by_a_button() {
    let (_lab, browser) = lab_showing("retry-later").await;
    for by_key in [true, false] {
        browser.wait_for_long().await;

        if by_key {
            browser.press("x").await;
        } else {
            browser.click("#cancel").await;
        }
        browser.ended().await;

        let checks = "text('#verdict').endsWith('cancelled, so nothing is judged')";
        // The keyboard focus moves from the removed button to one that remains.
        let focus = if by_key { "BODY" } else { "BUTTON#run" };
        let focused = "document.activeElement.tagName + (document.activeElement.id && '#' + document.activeElement.id)";
        for (expression, expected) in [
            ("text('.result')", "⊘ cancelled after 1 request"),
            ("text('#runs .mark')", "⊘"),
            ("text('#problem')", ""),
            (focused, focus),
        ] {
            browser.shows(expression, expected).await;
        }
        browser.shows(checks, true).await;
        browser.shows("one('#cancel').hidden", true).await;
        let wait = "text('.span.wait > summary .what')";
        browser.says(wait, &[", cut off after "]).await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_ending_of_a_call_and_its_verdict_have_separate_colours() {
    let (_lab, browser) = virtual_run("retry-later", "1").await;

    // The error was expected, so it is no failure.
    let parts = "each('.result > span')";
    let classes = format!("{parts}.map((part) => part.className)");
    browser.shows(&classes, json!(["", "", "ok"])).await;
    let state = "one('#runs .state').textContent";
    let words = "ended with HTTP error, all expectations held";
    browser.shows(state, words).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_comparison_shows_both_clients_on_one_axis() {
    let (_lab, browser) = virtual_run("lost-response", "3").await;

    let sides = "all('.side-of-run h3').map((text) => text.split(':')[0])";
    let titles = ["The reliable client", "The naive client"];
    browser.shows(sides, json!(titles)).await;
    let axes = "new Set(each('.ticks').map((axis) => axis.textContent))";
    browser.shows(&format!("{axes}.size"), 1).await;
    let last = "each('.result > span:last-child')";
    let classes = format!("{last}.map((part) => part.className)");
    browser.shows(&classes, json!(["ok", "failed"])).await;
    browser
        .shows("all('.effects tbody tr').length > 0", true)
        .await;
    for (name, parts) in [
        (
            "service_jobs_total",
            json!(["+2\ncreated +1\nreplayed +1", "+2\ncreated +2"]),
        ),
        (
            "client_attempts_total",
            json!([
                "+2\n201 +1\nconnection_lost +1",
                "+2\n201 +1\nconnection_lost +1"
            ]),
        ),
    ] {
        let shown = format!(
            "[...each('.counters tbody tr').find((row) => row.textContent.startsWith('{name}'))
                 .querySelectorAll('.number')].map((cell) => cell.innerText.trim())"
        );
        browser.shows(&shown, parts).await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

/// A seed may be larger than a double can represent.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_settings_of_the_form_are_those_of_the_run() {
    let (_lab, browser) = lab_showing("lost-response").await;
    browser.click("label:has([value=virtual])").await;
    let choose = "one('[name=without]').value = 'idempotency-key-reuse'";
    browser.read(choose).await;
    browser.press("3").await;
    browser.click("#settings-summary").await;
    browser.click("[name=seed]").await;

    browser.press("18446744073709551615\u{e007}").await;
    browser.ended().await;

    let terms = ["seed 18446744073709551615 · virtual time"];
    browser.says("text('.terms.run')", &terms).await;
    let rule = ["no job was created twice"];
    browser.says("text('#verdict')", &rule).await;
    let source = ["client/src/request.rs"];
    browser.says("text('.lesson')", &source).await;
    // A reloaded comparison is one that can be run again.
    browser.reload().await;
    browser.ended().await;
    let form = "['client', 'pace', 'without'].map((name) => one('#form').elements[name].value)";
    let expected = ["compare", "virtual", "idempotency-key-reuse"];
    browser.becomes(form, json!(expected)).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn an_error_about_a_setting_has_the_label_of_its_field() {
    let (_lab, browser) = lab_showing("items").await;
    browser.click("#settings-summary").await;
    let fields = "each('.fields input').filter((field) => field.checkVisibility())";
    let count = browser.read(&format!("{fields}.length")).await;

    for number in 0..count.as_u64().expect("a number") {
        let field = format!("{fields}[{number}]");
        browser.read(&format!("{field}.value = '-1'")).await;
        browser.press("r").await;

        let label = format!("{field}.closest('label').innerText.trim()");
        let named = format!("text('#problem').startsWith({label} + ': must be an integer from ')");
        browser.until(&named).await;
        browser.read(&format!("{field}.value = ''")).await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_reload_in_the_middle_of_a_run_loses_nothing() {
    let (_lab, browser) = lab_showing("retry-later").await;
    browser.wait_for_long().await;
    let address = browser.address().await;

    browser.reload().await;

    browser
        .until("text('.span.wait > summary .how')?.endsWith(' s left · Retry-After')")
        .await;
    assert_eq!(browser.address().await, address);
    let attempt = "text('.span.attempt > summary .how')";
    browser.shows(attempt, "503 Service Unavailable").await;
    let goes_on = "text('.result').includes('running')";
    browser.shows(goes_on, true).await;
}

/// The page fetches a run again and again while it goes on.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_that_goes_on_leaves_the_form_and_the_message_of_an_action() {
    let (_lab, browser) = lab_showing("retry-later").await;
    browser.wait_for_long().await;
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
    browser.ended().await;

    browser
        .shows("one('#form').elements.pace.value", "virtual")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_finished_run_has_an_address_to_come_back_to() {
    let (lab, browser) = lab_showing("flaky").await;
    let id = browser.run().await;
    let shown = "[text('h1'), text('#story')]";
    let before = browser.read(shown).await;

    browser.go(&format!("http://{}/#items", lab.page)).await;
    browser.until("text('h1').startsWith('items ')").await;
    browser.go(&format!("http://{}/runs/{id}", lab.page)).await;
    browser.ended().await;

    browser.shows(shown, before).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_copied_as_json_and_downloaded_as_a_report() {
    let (_lab, browser) = lab_showing("flaky").await;
    let id = browser.run().await;
    browser.catch_copies().await;

    browser.press("c").await;
    browser.until("window.copied").await;

    browser.shows("JSON.parse(window.copied).id", id).await;
    let name = "fetch(one('#report').href).then((response) =>
                    done(response.headers.get('content-disposition').split(';')[0]))";
    assert_eq!(browser.ask(name).await, Value::from("attachment"));
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_question_comes_before_the_answer() {
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

    let verdict = "✗ Your guess: 2 requests; the answer: 3 requests.";
    browser.shows("text('.answer')", verdict).await;
    let score = "Predict first · 0 of 1 right";
    browser.shows("text('#predict')", score).await;
    browser.says("text('h1')", &[title]).await;
    // The address has the guess, too.
    browser.reload().await;
    browser.ended().await;
    browser.shows("text('.answer')", verdict).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn settings_belong_to_one_scenario() {
    let (_lab, browser) = lab_showing("flaky").await;
    let values = "each('.fields :is(input, select)').map((field) => field.value).join('')";
    browser
        .read("each('.fields input').forEach((field) => { field.value = '2' })")
        .await;
    browser
        .read("one('[name=without]').value = 'backoff-jitter'")
        .await;

    browser.click("[data-name=items] .choose").await;

    browser.until("text('h1').startsWith('items ')").await;
    browser.shows(values, "").await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn what_a_lesson_suggests_is_run_by_a_button() {
    let (_lab, browser) = virtual_run("flaky", "1").await;
    let next = browser.read("one('.try').dataset.next").await;
    assert_eq!(next, "scenario flaky --max-attempts 2");

    browser.click(".try").await;

    browser
        .until("text('.result')?.startsWith('ended with HTTP error')")
        .await;
    browser.ended().await;
    browser.shows("one('[name=max_attempts]').value", "2").await;
}
