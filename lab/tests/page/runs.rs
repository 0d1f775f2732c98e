//! Running scenarios, and looking at runs.

use serde_json::{Value, json};

use super::stage::{Browser, Lab, lab_showing};

/// The result of a run. The number of rules that apply to `flaky` depends on the length
/// of its waits.
const RESULT: &str = "text('#result').replace(/(\\d+) of \\1/g, 'all')";

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
    let result = "ended with ok, attempt = 3 · 3 attempts · ✓ all expectations held";
    let change = "all('.counter').slice(0, 2).map((card) => card.match(/\\+\\d+/)[0])";
    for (expression, expected) in [
        ("all('.row.attempt .how')", json!(attempts)),
        ("all('.row.wait .how')", json!(waits)),
        // The service's record agrees with the client's, so its row is folded.
        ("all('.row.request').length", json!(0)),
        (RESULT, json!(result)),
        ("all('#checks li.ok').length >= 6", json!(true)),
        ("all('#checks li.failed').length", json!(0)),
        (
            "all('#checks .source').slice(0, 2)",
            json!(["client", "wire"]),
        ),
        ("all('#ledgers tbody tr').length", json!(3)),
        (change, json!(["+3", "+2"])),
    ] {
        browser.shows(expression, expected).await;
    }
    let scenario = scenario::catalogue::find("flaky").expect("it is there");
    let lesson = scenario.words.lessons[0].text;
    browser.says("text('#lesson-text')", &[lesson]).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_waterfall_can_be_shown_as_a_table() {
    let (_lab, browser) = virtual_run("retry-after-unusable", "3").await;

    // The table has every row, the picture only the unfolded ones.
    browser
        .read("each('.row[aria-expanded=false] .twist').forEach((it) => it.click())")
        .await;
    browser.click("#table-view summary").await;

    browser.until("all('#tables table').length === 2").await;
    let rows = async |of: &str, what: &str, how: &str| {
        let rows = format!(
            "each('{of}').map((row) =>
                 [row.querySelector('{what}'), row.querySelector('{how}')].map((cell) => cell.innerText.replace(/^[▾▸✓✗◷↳…\\s]+/, '')))"
        );
        browser.read(&rows).await
    };
    let table = rows("#tables tbody tr", "td:nth-child(3)", "td:last-child").await;
    assert_eq!(table, rows(".body [role=row]", ".what", ".how").await);
    assert!(table.as_array().is_some_and(|rows| rows.len() > 10));
    let within = "all('#tables tbody tr:nth-child(2) td').slice(3, 4)";
    browser.shows(within, json!(["attempt 1"])).await;
    browser.click("#table-view summary").await;
    browser.until("all('#tables table').length === 0").await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_table_keeps_the_focus_while_a_run_goes_on() {
    let (_lab, browser) = lab_showing("retry-after-seconds").await;
    browser.press("r").await;
    browser.until("!one('#table-view').hidden").await;
    browser.click("#table-view summary").await;
    browser.until("all('#tables table').length === 1").await;

    let table = "one('#tables .scroll')";
    browser.read(&format!("{table}.focus()")).await;
    browser.ended().await;

    browser
        .until("text('#tables tbody tr:last-child td:nth-child(2)') !== 'still open'")
        .await;
    let is_focused = format!("document.activeElement === {table}");
    browser.shows(&is_focused, true).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_wait_counts_down_while_it_is_open() {
    let (_lab, browser) = lab_showing("retry-after-seconds").await;
    browser
        .read(
            "(() => { window.left = []; new MutationObserver(() => {
                const found = /^([\\d.]+) s left · Retry-After$/.exec(text('.row.wait .how'));
                if (found && found[1] !== left.at(-1)) left.push(found[1]);
              }).observe(one('#waterfalls'), { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;

    browser.run().await;

    let left = browser.read("left.map(Number)").await;
    let left: Vec<f64> = serde_json::from_value(left).expect("numbers");
    assert!(left.len() > 2, "{left:?}");
    assert!(left.is_sorted_by(|one, next| one > next), "{left:?}");
    browser.shows("text('.row.wait .how')", "Retry-After").await;
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

        let checks =
            "Ended with: cancelled after 1 request\n\nThe run was cancelled, so nothing is judged.";
        // The keyboard focus moves from the removed button to one that remains.
        let focus = if by_key { "BODY" } else { "BUTTON#run" };
        let focused = "document.activeElement.tagName + (document.activeElement.id && '#' + document.activeElement.id)";
        for (expression, expected) in [
            ("text('#result')", "⊘ cancelled after 1 request"),
            ("text('#checks')", checks),
            ("text('#runs .mark')", "⊘"),
            ("text('#problem')", ""),
            (focused, focus),
        ] {
            browser.shows(expression, expected).await;
        }
        browser.shows("one('#cancel').hidden", true).await;
        let wait = "text('.row.wait .what')";
        browser.says(wait, &[", cut off after "]).await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_ending_of_a_call_and_its_verdict_have_separate_colours() {
    let (_lab, browser) = virtual_run("retry-later", "1").await;

    let parts = "each('#result .line > span')";
    let classes = format!("{parts}.map((part) => part.className)");
    browser.shows(&classes, json!(["failed", "", "ok"])).await;
    let colours = format!("new Set({parts}.map((part) => getComputedStyle(part).color)).size");
    browser.shows(&colours, 3).await;
    let ended = "one('#checks .outcome b').className";
    browser.shows(ended, "failed").await;
    let state = "one('#runs .state').textContent";
    let words = "ended with HTTP error, all expectations held";
    browser.shows(state, words).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_comparison_shows_both_clients_on_one_axis() {
    let (_lab, browser) = virtual_run("lost-response", "3").await;

    let sides = "all('.side-of-run h3')";
    browser.shows(sides, json!(["Reliable", "Naive"])).await;
    let axes = "new Set(each('.ticks').map((axis) => axis.textContent))";
    browser.shows(&format!("{axes}.size"), 1).await;
    let last = "each('#result .line > span:last-child')";
    let classes = format!("{last}.map((part) => part.className)");
    browser.shows(&classes, json!(["ok", "failed"])).await;
    browser
        .shows(
            "all('#checks .judged').length === 1 && all('.effects tbody tr').length > 0",
            true,
        )
        .await;
    for (name, parts) in [
        (
            "service_jobs_total",
            json!([
                ["created", "+1 reliable, +2 naive"],
                ["replayed", "+1 reliable, 0 naive"]
            ]),
        ),
        (
            "client_attempts_total",
            json!([
                ["201", "+1 reliable, +1 naive"],
                ["connection_lost", "+1 reliable, +1 naive"]
            ]),
        ),
    ] {
        let shown = format!(
            "each('.counter')
                 .find((card) => card.querySelector('h3').textContent === '{name}')
                 .querySelectorAll('.parts li').values().map((part) => [...part.children].map((one) => one.innerText)).toArray()"
        );
        browser.shows(&shown, parts).await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

/// A plot over all runs is not shown as that of one.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_counters_of_all_runs_are_plotted_over_time_and_labelled() {
    let (_lab, browser) = lab_showing("flaky").await;
    let label = "one('.plot:not(.empty)')?.getAttribute('aria-label')";

    // Two samples make a line, and there is at most one in a second.
    let mut found = browser.read(label).await;
    while found.is_null() {
        browser.run().await;
        found = browser.read(label).await;
    }

    let start = "At /metrics client_attempts_total rose from ";
    browser.says(label, &[start]).await;
    let is_labelled = "/^the numbers: this run; the lines: \\/metrics since [^:]+:[^:]+:[^:]+$/";
    let is_labelled = format!("{is_labelled}.test(text('#counters-note'))");
    browser.shows(&is_labelled, true).await;
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
    browser.says("text('#terms')", &terms).await;
    browser.says("text('.broke')", &["one-job"]).await;
    let source = ["client/src/request.rs"];
    browser.says("text('.remark')", &source).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_reload_in_the_middle_of_a_run_loses_nothing() {
    let (_lab, browser) = lab_showing("retry-later").await;
    browser.wait_for_long().await;
    let address = browser.address().await;

    browser.reload().await;

    browser
        .until("text('.row.wait .how')?.endsWith(' s left · Retry-After')")
        .await;
    assert_eq!(browser.address().await, address);
    let attempt = "text('.row.attempt .how')";
    browser.shows(attempt, "503 Service Unavailable").await;
    let goes_on = "text('#result').includes('running')";
    browser.shows(goes_on, true).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_finished_run_has_an_address_to_come_back_to() {
    let (lab, browser) = lab_showing("flaky").await;
    let id = browser.run().await;
    let shown = "[text('h1'), text('#result'), text('#terms'), text('#checks'), text('#ledgers')]";
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
    let (_lab, browser) = lab_showing("flaky").await;

    browser.press("p").await;
    browser.until("text('h1') === 'flaky'").await;
    let scenario = scenario::catalogue::find("flaky").expect("it is there");
    let shown = browser.read("document.body.innerText").await.to_string();
    assert!(shown.contains(scenario.words.question.text) && !shown.contains(scenario.words.title));
    browser.click("[name=guess]").await;
    browser.press("2\u{e007}").await;
    browser.ended().await;

    let verdict = "✗ You predicted: 2 requests; the answer is 3 requests.";
    browser.says("text('.guessed')", &[verdict]).await;
    let score = "Predict first · 0 of 1 right";
    browser.shows("text('#predict')", score).await;
    browser.says("text('h1')", &[scenario.words.title]).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_picture_follows_the_sliders_and_comes_back() {
    const TICKS: &str = "one('.ticks').textContent";
    let (_lab, browser) = virtual_run("flaky", "1").await;
    let drag = async |limit: &str, value: u32| {
        let script = format!(
            "((slider) => {{ slider.value = {value};
               slider.dispatchEvent(new Event('input', {{ bubbles: true }}));
             }})(one('.vary [name={limit}]'))"
        );
        browser.read(&script).await;
    };
    let waits = async |expected: &[&str]| {
        let shown = "all('.row.wait .how')";
        browser.becomes(shown, expected).await;
    };
    let defaults = ["backoff, at most 200 ms", "backoff, at most 400 ms"];
    waits(&defaults).await;

    drag("backoff_ms", 1000).await;
    waits(&["backoff, at most 1 s", "backoff, at most 2 s"]).await;
    let axis = browser.read(TICKS).await;
    // Of many values on the way, the last one counts, and the axis does not shrink.
    for value in [900, 700, 500, 300, 100] {
        drag("backoff_ms", value).await;
    }
    drag("max_attempts", 2).await;
    waits(&["backoff, at most 100 ms"]).await;
    browser.shows(TICKS, axis).await;
    let ended = "text('#result').startsWith('ended with HTTP error · 2 attempts')";
    browser.shows(ended, true).await;
    browser.shows("all('#runs .name').length", 1).await;

    browser.click(".vary button").await;
    waits(&defaults).await;
    let shown = "all('.vary output')";
    browser.shows(shown, json!(["3", "200 ms"])).await;
}
