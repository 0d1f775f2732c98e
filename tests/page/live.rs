//! A page that is told of changes: what its reader does stays, and a lab that goes away and comes
//! back is noticed.

use serde_json::json;

use crate::stage::{Browser, PROJECTOR, lab_showing};

/// The words of the wait that goes on.
const WAIT: &str = "text('details.wait > summary .how')";

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_wait_counts_down_and_the_row_the_focus_and_the_form_of_the_reader_stay() {
    let (_lab, browser) = lab_showing("/scenarios/retry-later?max_retry_after_seconds=120").await;
    browser.submit("#run").await;
    browser
        .read(
            "(() => { window.left = []; window.heard = [];
              new MutationObserver(() => {
                const found = /^([\\d.]+) s left · Retry-After$/.exec(text('details.wait > summary .how'));
                if (found && found[1] !== left.at(-1)) left.push(found[1]);
                if (text('#announce') !== heard.at(-1)) heard.push(text('#announce'));
              }).observe(document.body, { childList: true, characterData: true, subtree: true }); })()",
        )
        .await;
    browser.until("left.length > 0").await;
    let row = "one('details.failed > summary')";
    browser.click("details.failed > summary").await;
    browser
        .read(&format!(
            "(() => {{ window.row = {row}; row.focus(); getSelection().selectAllChildren(one('.facts p'));
               one('[name=seed]').value = '77'; one('[value=virtual]').click(); }})()"
        ))
        .await;
    let selected = browser.read("getSelection().toString()").await;

    // The wait goes on for two minutes, unless somebody cancels it.
    browser.until("left.length > 2").await;
    browser
        .ask("fetch('/api' + location.pathname, { method: 'DELETE' }).then(() => done())")
        .await;
    browser
        .until("text('#happened') === '⊘ cancelled after 1 request'")
        .await;

    let left = browser.read("left.map(Number)").await;
    let left: Vec<f64> = serde_json::from_value(left).expect("numbers");
    assert!(left.len() > 2, "{left:?}");
    assert!(left.is_sorted_by(|one, next| one > next), "{left:?}");
    browser
        .shows_all(&[
            (
                &format!("{row} === window.row && row.isConnected"),
                json!(true),
            ),
            (
                "document.activeElement === row && row.parentElement.open",
                json!(true),
            ),
            ("getSelection().toString()", selected),
            ("one('[name=seed]').value", json!("77")),
            ("one('[value=virtual]').checked", json!(true)),
            // A screen reader hears the end.
            (
                "heard.at(-1)",
                json!("retry-later: cancelled after 1 request"),
            ),
            (
                "document.title",
                json!("retry-later: cancelled after 1 request · lab"),
            ),
            // Nothing more can change.
            ("one('#link').hidden", json!(true)),
        ])
        .await;
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn two_windows_see_the_same_and_a_hidden_one_catches_up() {
    let (lab, browser) = lab_showing("/runs").await;
    let other = Browser::open(PROJECTOR).await;
    other.show(&lab, "/scenarios/flaky?pace=virtual").await;
    browser.is_live().await;
    let listed = "all('.traces tbody th').length";

    other.submit("#run").await;
    browser.becomes(listed, 1).await;
    let hide = async |is_hidden: bool| {
        let script = format!(
            "(() => {{ Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }});
               document.dispatchEvent(new Event('visibilitychange')); }})()"
        );
        browser.read(&script).await;
    };
    hide(true).await;
    browser.until("one('#link').hidden").await;
    other.submit("#run").await;
    browser.shows(listed, 1).await;
    hide(false).await;
    browser.becomes(listed, 2).await;

    // The ticks are the same in all windows, too.
    browser.show(&lab, "/course").await;
    browser.is_live().await;
    other.show(&lab, "/scenarios/items?pace=virtual").await;
    other.submit("#run").await;
    browser
        .becomes("all('#side .sign.visited').length", 2)
        .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_lab_that_goes_away_and_comes_back_is_noticed() {
    let (mut lab, browser) =
        lab_showing("/scenarios/retry-later?max_retry_after_seconds=120").await;
    browser.submit("#run").await;
    browser.is_live().await;
    browser.until(&format!("{WAIT} !== undefined")).await;

    lab.kill();
    browser.becomes("text('#link')", "connection lost").await;
    browser.says(WAIT, &[" s left · Retry-After"]).await;
    lab.restart();
    browser
        .until(
            "text('main').includes('only the newest runs are kept, and none after the lab stops')",
        )
        .await;
}
