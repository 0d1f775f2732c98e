//! Running scenarios, and looking at runs.

use serde_json::{Value, json};

use super::stage::lab_showing;

/// The result of a run. The number of rules that apply to `flaky` depends on the length
/// of its waits.
const RESULT: &str = "text('#result').replace(/(\\d+) of \\1/g, 'all')";

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn flaky_shows_three_attempts_two_waits_and_a_verdict() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.click(".choose[aria-current] + .run-one").await;
    browser.ended().await;

    assert_eq!(
        browser.read("all('.row.attempt .how')").await,
        json!([
            "503 Service Unavailable",
            "503 Service Unavailable",
            "200 OK"
        ])
    );
    assert_eq!(
        browser.read("all('.row.wait .how')").await,
        json!(["backoff, at most 200 ms", "backoff, at most 400 ms"])
    );
    // The service's record agrees with the client's, so its row is folded.
    assert_eq!(browser.read("all('.row.request').length").await, 0);
    assert_eq!(
        browser.read(RESULT).await,
        "ended with ok, attempt = 3 · 3 attempts · ✓ all expectations held"
    );
    assert_eq!(browser.read("all('#checks li.ok').length >= 6").await, true);
    assert_eq!(browser.read("all('#checks li.failed').length").await, 0);
    assert_eq!(
        browser.read("all('#checks .source').slice(0, 2)").await,
        json!(["client", "wire"])
    );
    assert_eq!(browser.read("all('#ledgers tbody tr').length").await, 3);
    assert_eq!(
        browser
            .read("all('.counter').slice(0, 2).map((card) => card.match(/\\+\\d+/)[0])")
            .await,
        json!(["+3", "+2"])
    );
    let lessons = runner::scenario::find("flaky")
        .expect("it is there")
        .words
        .lessons;
    let shown = browser.read("text('#lesson-text')").await;
    let shown = shown.as_str().expect("a text");
    assert!(shown.starts_with(lessons[0].text), "{shown}");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_waterfall_can_be_shown_as_a_table() {
    let (_lab, browser) = lab_showing("retry-after-unusable").await;
    browser.press("3").await;
    browser.click("label:has([value=virtual])").await;
    browser.run().await;

    // The table has every row, the picture only the unfolded ones.
    browser
        .read(
            "document.querySelectorAll('.row[aria-expanded=false] .twist').forEach((it) => it.click())",
        )
        .await;
    browser.click("#table-view summary").await;

    browser.until("all('#tables table').length === 2").await;
    let rows = |of: &str, what: &str, how: &str| {
        format!(
            "[...document.querySelectorAll('{of}')].map((row) =>
                 [row.querySelector('{what}'), row.querySelector('{how}')].map((cell) => cell.innerText.replace(/^[▾▸✓✗◷↳…\\s]+/, '')))"
        )
    };
    let table = browser
        .read(&rows(
            "#tables tbody tr",
            "td:nth-child(3)",
            "td:last-child",
        ))
        .await;
    let picture = browser
        .read(&rows(".body [role=row]", ".what", ".how"))
        .await;
    assert_eq!(table, picture);
    assert!(table.as_array().is_some_and(|rows| rows.len() > 10));
    assert_eq!(
        browser
            .read("all('#tables tbody tr:nth-child(2) td').slice(3, 4)")
            .await,
        json!(["attempt 1"])
    );

    browser.click("#table-view summary").await;
    browser.until("all('#tables table').length === 0").await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_table_keeps_the_focus_while_a_run_goes_on() {
    let (_lab, browser) = lab_showing("retry-after-seconds").await;
    browser.press("r").await;
    browser
        .until("!document.querySelector('#table-view').hidden")
        .await;
    browser.click("#table-view summary").await;
    browser.until("all('#tables table').length === 1").await;

    browser
        .read("document.querySelector('#tables .scroll').focus()")
        .await;
    browser.ended().await;

    browser
        .until("text('#tables tbody tr:last-child td:nth-child(2)') !== 'still open'")
        .await;
    assert_eq!(
        browser
            .read("document.activeElement === document.querySelector('#tables .scroll')")
            .await,
        true
    );
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
              }).observe(document.querySelector('#waterfalls'), { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;

    browser.run().await;

    let left = browser.read("left.map(Number)").await;
    let left: Vec<f64> = serde_json::from_value(left).expect("numbers");
    assert!(left.len() > 2, "{left:?}");
    assert!(left.is_sorted_by(|one, next| one > next), "{left:?}");
    assert_eq!(browser.read("text('.row.wait .how')").await, "Retry-After");
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

        assert_eq!(
            browser.read("text('#result')").await,
            "⊘ cancelled after 1 request"
        );
        assert_eq!(
            browser.read("text('#checks')").await,
            "Ended with: cancelled after 1 request\n\nThe run was cancelled, so nothing is judged."
        );
        let wait = browser.read("text('.row.wait .what')").await.to_string();
        assert!(wait.contains(", cut off after "), "{wait}");
        assert_eq!(
            browser
                .read("document.querySelector('#cancel').hidden")
                .await,
            true
        );
        assert_eq!(browser.read("text('#runs .mark')").await, "⊘");
        assert_eq!(browser.read("text('#problem')").await, "");
        // The keyboard focus moves from the removed button to one that remains.
        let focus = if by_key { "BODY" } else { "BUTTON#run" };
        assert_eq!(
            browser.read("document.activeElement.tagName + (document.activeElement.id && '#' + document.activeElement.id)").await,
            focus
        );
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_ending_of_a_call_and_its_verdict_are_separate() {
    let (_lab, browser) = lab_showing("retry-later").await;

    browser.run().await;

    let parts = browser
        .read("[...document.querySelectorAll('#result .line > span')].map((part) => [part.className, part.innerText])")
        .await;
    assert_eq!(
        parts,
        json!([
            ["failed", "ended with HTTP error"],
            ["", "1 attempt"],
            ["ok", "✓ 8 of 8 expectations held"]
        ])
    );
    let colours = browser
        .read("[...document.querySelectorAll('#result .line > span')].map((part) => getComputedStyle(part).color)")
        .await;
    assert_ne!(colours[0], colours[2]);
    assert_eq!(
        browser
            .read("document.querySelector('#checks .outcome b').className")
            .await,
        "failed"
    );
    assert_eq!(
        browser
            .read("document.querySelector('#runs .state').textContent")
            .await,
        "ended with HTTP error, all expectations held"
    );
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn each_side_of_a_comparison_has_its_own_texts() {
    let (_lab, browser) = lab_showing("lost-response").await;
    browser.click("label:has([value=virtual])").await;

    browser.press("3").await;
    browser.run().await;

    let lines = browser.read("all('#result .line')").await;
    assert_eq!(
        lines,
        json!([
            "reliable: ended with ok, the client has its job · 2 attempts · ✓ breaks no rule",
            "naive: ended with ok, the client has its job · 2 attempts · ✗ breaks 2 rules",
        ])
    );
    assert_eq!(
        browser.read("[...document.querySelectorAll('#result .line > span:last-child')].map((part) => part.className)").await,
        json!(["ok", "failed"])
    );
    let terms = browser.read("all('#terms .line').slice(0, 2)").await;
    assert!(
        terms[0].as_str().is_some_and(
            |line| line.starts_with("reliable: ") && line.contains(" · up to 3 attempts · ")
        ),
        "{terms}"
    );
    assert!(
        terms[1].as_str().is_some_and(
            |line| line.starts_with("naive: ") && line.ends_with("up to 10 attempts, no waits")
        ),
        "{terms}"
    );
}

/// Two submissions may create one job or two.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_counter_shows_the_parts_of_its_rise() {
    let (_lab, browser) = lab_showing("lost-response").await;
    browser.click("label:has([value=virtual])").await;
    browser.press("3").await;
    browser.run().await;
    let parts = |name: &str| {
        format!(
            "[...document.querySelectorAll('.counter')]
                 .find((card) => card.querySelector('h3').textContent === '{name}')
                 .querySelectorAll('.parts li').values().map((part) => [...part.children].map((one) => one.innerText)).toArray()"
        )
    };

    let jobs = browser.read(&parts("service_jobs_total")).await;
    let attempts = browser.read(&parts("client_attempts_total")).await;

    assert_eq!(
        jobs,
        json!([
            ["created", "+1 reliable, +2 naive"],
            ["replayed", "+1 reliable, 0 naive"]
        ])
    );
    assert_eq!(attempts, json!([["201", "+1"], ["connection_lost", "+1"]]));
}

/// A plot over all runs is not shown as that of one.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_plot_of_all_runs_is_labelled() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser.run().await;
    let line = "document.querySelector('.plot:not(.empty)')";
    while browser.read(line).await.is_null() {
        browser.run().await;
    }

    let note = browser.read("text('#counters-note')").await.to_string();

    let parts = note
        .trim_matches('"')
        .split_once("; the lines: all runs since ");
    let (number, since) = parts.unwrap_or_else(|| panic!("{note}"));
    assert_eq!(number, "the numbers: this run");
    assert_eq!(since.split(':').count(), 3, "a time of day: {since}");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_comparison_shows_both_clients_on_one_axis() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.press("3").await;
    browser.run().await;

    assert_eq!(
        browser.read("all('.side-of-run h3')").await,
        json!(["Reliable", "Naive"])
    );
    let axes = browser
        .read("[...document.querySelectorAll('.ticks')].map((axis) => axis.textContent)")
        .await;
    assert_eq!(axes[0], axes[1]);
    assert_eq!(
        browser.read(RESULT).await,
        "reliable: ended with ok, attempt = 3 · 3 attempts · ✓ breaks no rule\nnaive: ended with ok, attempt = 3 · 3 attempts · ✗ breaks 1 rule"
    );
    assert_eq!(browser.read("all('#checks .judged').length").await, 1);
    assert_ne!(browser.read("all('.effects tbody tr').length").await, 0);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_client_without_a_defence_is_compared_with_the_reference_client() {
    let (_lab, browser) = lab_showing("lost-response").await;
    browser.click("label:has([value=virtual])").await;
    let choose = "document.querySelector('[name=without]').value = 'idempotency-key-reuse'";
    browser.read(choose).await;

    browser.press("3").await;
    browser.run().await;

    let rules = browser.read("text('.broke')").await.to_string();
    assert!(rules.contains("one-job"), "{rules}");
    let remarks = browser.read("text('.remark')").await.to_string();
    assert!(remarks.contains("client/src/request.rs"), "{remarks}");
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
    assert_eq!(
        browser.read("text('.row.attempt .how')").await,
        "503 Service Unavailable"
    );
    assert!(
        browser
            .read("text('#result')")
            .await
            .to_string()
            .contains("running")
    );
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

    assert_eq!(browser.read(shown).await, before);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_seed_larger_than_a_double_keeps_every_digit() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser.click("#settings-summary").await;
    browser.click("[name=seed]").await;

    browser.press("18446744073709551615\u{e007}").await;
    browser.ended().await;

    let terms = browser.read("text('#terms')").await;
    assert!(
        terms
            .as_str()
            .is_some_and(|terms| terms.ends_with("seed 18446744073709551615")),
        "{terms}"
    );
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn an_invalid_setting_is_explained() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser.click("#settings-summary").await;
    browser.click("[name=max_attempts]").await;

    browser.press("0\u{e007}").await;

    browser.until("text('#problem')").await;
    let problem = browser.read("text('#problem')").await;
    assert!(
        problem
            .as_str()
            .is_some_and(|problem| problem.contains("max_attempts")),
        "{problem}"
    );
    assert_eq!(browser.read("all('#runs li').length").await, 0);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_run_is_copied_as_json_and_downloaded_as_a_report() {
    let (_lab, browser) = lab_showing("flaky").await;
    let id = browser.run().await;
    browser
        .read("navigator.clipboard.writeText = async (text) => { window.copied = text }")
        .await;

    browser.press("c").await;
    browser.until("window.copied").await;

    let copied = browser.read("window.copied").await;
    let copied: Value = serde_json::from_str(copied.as_str().expect("text")).expect("JSON");
    assert_eq!(copied["id"], id);
    let report = browser
        .ask(
            "fetch(document.querySelector('#report').href).then(async (response) =>
              done([response.headers.get('content-disposition'), await response.text()]))",
        )
        .await;
    assert!(
        report[0]
            .as_str()
            .is_some_and(|how| how.starts_with("attachment")),
        "{report}"
    );
    assert!(
        report[1]
            .as_str()
            .is_some_and(|text| text.contains("503 Service Unavailable"))
    );
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_report_of_a_comparison_holds_both_sides() {
    let (_lab, browser) = lab_showing("flaky").await;
    browser.press("3").await;
    browser.run().await;

    let report = browser
        .ask("fetch(document.querySelector('#report').href).then(async (response) => done(await response.text()))")
        .await;

    let report = report.as_str().expect("a page");
    for part in ["What happened · reliable", "What happened · naive"] {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_question_comes_before_the_answer() {
    let (_lab, browser) = lab_showing("flaky").await;

    browser.press("p").await;
    browser.until("text('h1') === 'flaky'").await;
    let scenario = runner::scenario::find("flaky").expect("it is there");
    let shown = browser.read("document.body.innerText").await.to_string();
    assert!(shown.contains(scenario.words.question.text) && !shown.contains(scenario.words.title));
    browser.click("[name=guess]").await;
    browser.press("2\u{e007}").await;
    browser.ended().await;

    let guessed = browser.read("text('.guessed')").await.to_string();
    let verdict = "✗ You predicted: 2 requests; the answer is 3 requests. Each wait";
    assert!(guessed.contains(verdict), "{guessed}");
    assert_eq!(
        browser.read("text('#predict')").await,
        "Predict first · 0 of 1 right"
    );
    assert!(
        browser
            .read("text('h1')")
            .await
            .to_string()
            .contains(scenario.words.title)
    );
}
