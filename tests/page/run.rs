//! Running a scenario, and comparing two clients.

use serde_json::json;

use crate::stage::{Browser, lab_showing};

/// The result of a run. The number of rules that apply to `flaky` depends on the length
/// of its waits.
const RESULT: &str = "text('.result').replace(/(\\d+) of \\1/g, 'all')";

/// The number of rows of the service's side that are shown.
const VISIBLE_REQUESTS: &str =
    "each('details.service').filter((row) => row.checkVisibility()).length";

/// Watches a run that waits: the wait counts down, and the reader's row, focus, selection and
/// scroll position stay, although the server draws the run again and again.
async fn watch_a_wait(browser: &Browser) {
    browser
        .read(
            "(() => { window.left = []; new MutationObserver(() => {
                const found = /^([\\d.]+) s left · Retry-After$/.exec(text('details.wait > summary .how'));
                if (found && found[1] !== left.at(-1)) left.push(found[1]);
              }).observe(one('#story'), { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;
    browser.press("r").await;
    browser.until("left.length > 0").await;
    let row = "one('details:is(.good, .failed):not(.call) > summary')";
    browser
        .click("details:is(.good, .failed):not(.call) > summary")
        .await;
    browser
        .read(&format!(
            "(() => {{ window.row = {row}; row.focus(); getSelection().selectAllChildren(one('.facts p'));
               one('#stage').style.paddingBottom = '2000px'; one('#stage').scrollTop = 40; }})()"
        ))
        .await;
    let selected = "getSelection().toString()";
    let text = browser.read(selected).await;

    browser.ended().await;

    let left = browser.read("left.map(Number)").await;
    let left: Vec<f64> = serde_json::from_value(left).expect("numbers");
    assert!(left.len() > 2, "{left:?}");
    assert!(left.is_sorted_by(|one, next| one > next), "{left:?}");
    let same_row = format!("{row} === window.row && row.isConnected");
    browser
        .shows_all(&[
            ("text('details.wait > summary .how')", json!("Retry-After")),
            (&same_row, json!(true)),
            (
                "document.activeElement === row && row.parentElement.open",
                json!(true),
            ),
            (selected, text),
            ("one('#stage').scrollTop", json!(40)),
        ])
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_watched_understood_kept_and_varied() {
    let (lab, browser) = lab_showing("retry-after-seconds").await;
    watch_a_wait(&browser).await;

    browser.show_scenario(&lab, "flaky").await;
    browser.click(".choose[aria-current] + .run-one").await;
    browser.ended().await;

    let attempts = [
        "503 Service Unavailable",
        "503 Service Unavailable",
        "200 OK",
    ];
    let waits = ["backoff, at most 200 ms", "backoff, at most 400 ms"];
    let result = "ok on attempt 3 · 3 attempts · ✓ all expectations of the lab held";
    browser
        .shows_all(&[
            (
                "all('details:is(.good, .failed):not(.call) > summary .how')",
                json!(attempts),
            ),
            ("all('details.wait > summary .how')", json!(waits)),
            // The service's record agrees with the client's, so its row is folded.
            (VISIBLE_REQUESTS, json!(0)),
            (RESULT, json!(result)),
            ("all('.checks li.ok').length >= 5", json!(true)),
            ("all('.checks li.no').length", json!(0)),
            (
                "all('.checks .source').slice(0, 2)",
                json!(["client", "wire"]),
            ),
            (
                "all('[aria-labelledby=wire-reliable] tbody tr').length",
                json!(3),
            ),
            ("all('.counters tbody b').slice(0, 2)", json!(["+3", "+2"])),
        ])
        .await;
    let lesson = "A 503 is often temporary.";
    browser.says("text('.lesson')", &[lesson]).await;

    // The run is taken along.
    browser.catch_copies().await;
    browser.press("c").await;
    browser.until("window.copied").await;
    let is_this = "`/runs/${JSON.parse(window.copied).id}` === location.pathname";
    browser.shows(is_this, true).await;
    let name = "fetch(one('#report').href).then((response) =>
                    done(response.headers.get('content-disposition').split(';')[0]))";
    assert_eq!(browser.ask(name).await, json!("attachment"));
    assert_eq!(browser.complaints().await, [""; 0]);

    // What the lesson suggests is run by its button. The error was expected, so the list says
    // both: how the run ended, and that this was right.
    browser.click(".try").await;
    browser
        .until("text('.result')?.startsWith('ended with HTTP error')")
        .await;
    browser.ended().await;
    let state = "one('#runs .state').textContent";
    let words = "ended with HTTP error, all expectations held";
    browser.becomes(state, words).await;
    let attempts = "one('[name=max_attempts]').value";
    browser.shows(attempts, "2").await;

    // *Run again* would repeat it after a reload as well.
    browser.reload().await;
    browser.ended().await;
    browser.becomes(attempts, "2").await;
}

/// Opens the row that says this, and waits for its exchange.
async fn open_row(browser: &Browser, text: &str) {
    let row = format!(
        "each('summary.row').find((row) => \
         row.textContent.includes('{text}')).click()"
    );
    browser.read(&row).await;
    browser
        .until("each('[open] > .facts pre').length === 2")
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn two_clients_are_compared_with_the_settings_of_the_form() {
    let (lab, browser) = lab_showing("lost-response").await;
    browser.click("label:has([value=virtual])").await;
    browser.press("3").await;
    browser.run().await;

    let titles = ["The reliable client", "The naive client"];
    browser
        .shows_all(&[
            (
                "all('.side-of-run h3').map((text) => text.split(':')[0])",
                json!(titles),
            ),
            (
                "new Set(each('.ticks').map((axis) => axis.textContent)).size",
                json!(1),
            ),
            (
                "each('.result > span:last-child').map((part) => part.className)",
                json!(["ok", "no"]),
            ),
            ("all('.effects tbody tr').length > 0", json!(true)),
        ])
        .await;
    for (name, parts) in [
        (
            "service_jobs_total",
            ["+2\ncreated +1\nreplayed +1", "+2\ncreated +2"],
        ),
        (
            "client_attempts_total",
            ["+2\n201 +1\nconnection_lost +1"; 2],
        ),
    ] {
        let shown = format!(
            "[...each('.counters tbody tr').find((row) => row.textContent.startsWith('{name}'))
                 .querySelectorAll('.num')].map((cell) => cell.innerText.trim())"
        );
        browser.shows(&shown, json!(parts)).await;
    }
    assert_eq!(browser.complaints().await, [""; 0]);

    // Another choice says whose the run is that is still shown.
    browser.press("1").await;
    let older = "text('#older').startsWith('Below is the run of the comparison.')";
    browser.until(older).await;
    browser.press("3").await;
    browser.until("text('#older') === ''").await;

    // A client without one of its defences, and a seed larger than a double can represent.
    let choose = "one('[name=without]').value = 'idempotency-key-reuse'";
    browser.read(choose).await;
    browser.click("#settings-summary").await;
    browser.click("[name=seed]").await;
    browser.press("18446744073709551615\u{e007}").await;
    browser
        .until("text('.terms.run')?.includes('seed 18446744073709551615 · virtual time')")
        .await;
    browser.ended().await;
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

    // A request of this scenario can be repeated at the service of this lab, which is not where
    // the usual one is.
    browser.show_scenario(&lab, "conflict").await;
    browser.run().await;
    open_row(&browser, "409").await;
    let lines = "all('[open] > .facts pre').map((text) => text.split('\\n')[0])";
    let expected = ["POST /jobs HTTP/1.1", "HTTP/1.1 409 Conflict"];
    browser.shows(lines, json!(expected)).await;
    let command = "text('[open] > .facts .command code:last-of-type').split('/jobs ')[0]";
    let url = format!("curl -i http://{}", lab.service);
    browser.shows(command, url).await;

    browser.show_scenario(&lab, "items").await;
    assert_settings_are_explained_and_belong_to_one_scenario(&browser).await;
}

/// An error about a setting has the label of its field, and another scenario begins without the
/// settings of this one.
async fn assert_settings_are_explained_and_belong_to_one_scenario(browser: &Browser) {
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

    browser
        .read("each('.fields input').forEach((field) => { field.value = '2' })")
        .await;
    browser
        .read("one('[name=without]').value = 'backoff-jitter'")
        .await;
    browser.click("[data-name=flaky] .choose").await;
    browser.until("text('h1').startsWith('flaky ')").await;
    // An empty field shows the value of the scenario.
    let placeholder = "one('[name=max_attempts]').placeholder";
    browser.becomes(placeholder, "3").await;
    let values = "each('.fields :is(input, select)').map((field) => field.value).join('')";
    browser.shows(values, "").await;
}
