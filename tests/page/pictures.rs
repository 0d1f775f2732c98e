//! The pictures of the README and of the documents.

use std::{
    env, fs,
    path::Path,
    time::{Duration, Instant},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use tokio::time::sleep;

use crate::stage::{Browser, Lab, PROJECTOR};

/// The maximum size of a picture in the repository.
const MOST: usize = 80 * 1024;

/// How long a card of all tasks may take on a busy machine.
const LONGEST: Duration = Duration::from_secs(300);

/// Takes the pictures. With `LAB_PICTURES` set, writes them into `lab/docs`.
#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_pictures_of_the_documents_can_be_taken() {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    // Fixed seeds in virtual time, so that a picture changes only with the page.
    for run in [
        "redirect?client=naive",
        "retry-after-unusable?client=reliable",
        "deadline?client=compare",
        "too-many-requests?client=compare",
        "flaky?client=reliable",
        "lost-response?client=compare",
    ] {
        let path = format!("/scenarios/{run}&pace=virtual&seed=1");
        browser.show(&lab, &path).await;
        browser.submit("#run").await;
    }
    take(&browser, "page-compare").await;
    browser.in_scheme("dark").await;
    browser.show(&lab, "/").await;
    take(&browser, "page-overview").await;
    browser.in_scheme("light").await;
    browser.show(&lab, "/storm/spike?seed=1").await;
    take(&browser, "page-storm").await;

    // A client that needs no code and breaks some rules. Its card takes more than a minute, so it is
    // made only for a picture that is kept.
    if env::var_os("LAB_PICTURES").is_none() {
        return;
    }
    let lab = Lab::grading(&["curl", "-sf", "--retry", "3", "{url}"]);
    browser.show(&lab, "/client?task=flaky").await;
    browser.submit("#start button").await;
    take(&browser, "page-client").await;
}

/// Takes a picture of a page on which nothing is in progress any more.
async fn take(browser: &Browser, name: &str) {
    let begun = Instant::now();
    while browser.read("one('#main').dataset.changes").await == "in-progress" {
        assert!(begun.elapsed() < LONGEST, "{name} is still in progress");
        sleep(Duration::from_millis(200)).await;
    }

    let picture = BASE64_STANDARD
        .decode(browser.picture().await)
        .expect("base64");

    assert!(picture.len() < MOST, "{name} has {} bytes", picture.len());
    if env::var_os("LAB_PICTURES").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/docs");
        fs::create_dir_all(&folder).expect("the folder");
        fs::write(folder.join(format!("{name}.webp")), picture).expect("a file");
    }
}
