//! Storm: a guess, then the pictures while they fill in, and an address that repeats
//! them.

use serde_json::json;
use thirtyfour::Key;

use super::stage::{Browser, Lab, PROJECTOR};

/// The address of a storm of a few seconds of its own time.
const SHORT: &str = "story=spike&seed=18446744073709551615&calls_per_second=20&places=3\
                     &trouble_lasts_seconds=2";

/// The address of one that nobody waits for the end of.
const LONG: &str = "story=spike&calls_per_second=1000&places=1000";

impl Browser {
    /// A browser that shows Storm, as this part of the address asks for it.
    pub(crate) async fn at_storm(lab: &Lab, size: (u32, u32), asked: &str) -> Self {
        let browser = Self::open(size).await;
        browser
            .go(&format!("http://{}/storm#{asked}", lab.page))
            .await;
        let ready = "document.querySelector('#storm-guesses label') && text('#link') === 'live'";
        browser.until(ready).await;
        browser
    }

    /// Waits for the end of the storm that is shown.
    pub(crate) async fn storm_ended(&self) {
        self.until("!document.querySelector('#storm-actions').hidden")
            .await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_guess_is_made_and_judged_by_keyboard_alone() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "flaky").await;
    browser.press("m").await;
    browser
        .until("document.querySelector('#storm-guesses label') && document.activeElement.id === 'storm'")
        .await;

    browser.press_key(Key::Tab).await;
    browser.press(" ").await;
    browser.press("r").await;
    browser.until("text('#pictures li .ending')").await;
    browser.storm_ended().await;

    let pictures = browser.read("all('#pictures h3')").await;
    let pictures = pictures.as_array().expect("headings");
    assert_eq!(pictures.len(), 5, "{pictures:?}");
    let guessed = "all('#pictures li').map((it) => it.includes('your guess'))";
    let guessed = browser.read(guessed).await;
    assert_eq!(guessed, json!([true, false, false, false, false]));
    let learnt = browser.read("text('#storm-learnt')").await;
    let learnt = learnt.as_str().expect("words");
    for part in [
        "Your guess",
        "1 attempt",
        "The answer\n",
        "What the model leaves out\n",
    ] {
        assert!(learnt.contains(part), "{part}: {learnt}");
    }
    assert_eq!(browser.address().await, "/storm");
    let complaints = browser.complaints().await;
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn an_address_repeats_a_storm_to_the_last_curve() {
    let lab = Lab::start();
    let browser = Browser::at_storm(&lab, PROJECTOR, SHORT).await;
    let curves =
        "[...document.querySelectorAll('#pictures path')].map((path) => path.getAttribute('d'))";
    let hash = "location.hash.slice(1)";

    browser.press("r").await;
    browser.storm_ended().await;
    let (first, asked) = (browser.read(curves).await, browser.read(hash).await);
    browser.reload().await;
    browser
        .until("document.querySelector('#storm-guesses label')")
        .await;
    browser.press("r").await;
    browser.storm_ended().await;

    assert_eq!(browser.read(curves).await, first);
    assert_eq!(browser.read(hash).await, asked);
    assert_eq!(asked, SHORT, "a seed keeps all of its digits");
    let report = "fetch(document.querySelector('#storm-report').href)
        .then(async (it) => done([it.status, (await it.text()).includes('18446744073709551615')]))";
    assert_eq!(browser.ask(report).await, json!([200, true]));
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_storm_is_cancelled_and_what_there_is_of_it_stays() {
    let lab = Lab::start();
    let browser = Browser::at_storm(&lab, PROJECTOR, LONG).await;

    browser.press("r").await;
    browser
        .until("document.querySelector('#pictures .load')?.getAttribute('d')")
        .await;
    browser.press("x").await;
    browser.storm_ended().await;

    assert_eq!(
        browser.read("text('#pictures .ending')").await,
        "· cancelled"
    );
    assert_eq!(browser.read("text('#play-storm')").await, "Play again");
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn what_a_setting_may_be_the_server_says() {
    let lab = Lab::start();
    let asked = "story=spike&places=0&trouble_lasts_seconds=2";
    let browser = Browser::at_storm(&lab, PROJECTOR, asked).await;
    let problem = "text('#storm-problem')";

    browser.press("r").await;
    browser
        .until(&format!(
            "{problem} === 'settings: places must be a whole number from 1 to 10000, got 0'"
        ))
        .await;
    // One step of the slider, and the value is one that there is.
    let slider = "document.querySelector('#storm-settings label:nth-child(2) input')";
    browser.read(&format!("{slider}.focus()")).await;
    browser.press_key(Key::Home).await;
    browser.press_key(Key::Right).await;

    let said = format!("{slider}.getAttribute('aria-valuetext')");
    assert_eq!(browser.read(&said).await, "2 places");
    browser.press("r").await;
    browser.until(&format!("{problem} === ''")).await;
    browser.press("x").await;
    browser.storm_ended().await;
}
