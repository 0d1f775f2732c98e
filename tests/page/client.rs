//! *Your client* beside an editor: what each save does to the page of its card.

use std::{fs, path::Path};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    modes::assert_accessible,
    stage::{Browser, Lab, OVER, PROJECTOR, TELEPHONE},
};

/// A client that skips every task, and one that the shell cannot read.
const SKIPS: &str = r#"echo '{"skip": true}'"#;
const BROKEN: &str = "case x in (";

/// A card is complete.
const COMPLETE: &str = "!!one('#start') && text('.facts-line').startsWith('0')";

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_save_is_seen_beside_the_editor_and_what_its_reader_does_stays() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("client.sh");
    let save = |text: &str| fs::write(&file, text).expect("written");
    save(SKIPS);
    let lab = Lab::watching(path(&file), &["sh", path(&file)]);
    let browser = Browser::open(PROJECTOR).await;
    browser.show(&lab, "/client").await;
    browser.is_live().await;
    browser.until(COMPLETE).await;
    for size in [PROJECTOR, TELEPHONE] {
        browser.resize(size).await;
        assert_accessible(&browser, &format!("a card, {} pixels wide", size.0)).await;
        browser.shows(OVER, 0).await;
    }
    browser.resize(PROJECTOR).await;
    browser.click("#hint-read-all summary").await;
    browser.read("one('.traces a').focus()").await;

    save(BROKEN);

    browser.until("text('.evidence').includes('crashed')").await;
    browser.says("text('.evidence pre')", &["client.sh"]).await;
    let stays =
        "[document.activeElement.innerText.includes('read-all'), !!one('#hint-read-all')?.open]";
    browser.shows(stays, json!([true, true])).await;

    // A card without a request is nothing to compare with.
    browser.until("!!one('#start')").await;
    save(SKIPS);
    browser.until("!!one('#stop')").await;
    browser.until(COMPLETE).await;
    browser.shows("!!one('.changed')", false).await;
    assert_eq!(browser.complaints().await, [""; 0]);
}

fn path(file: &Path) -> &str {
    file.to_str().expect("Unicode")
}
