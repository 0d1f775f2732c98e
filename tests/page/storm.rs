//! Storm: a guess, then the pictures while they fill in, and an address that repeats
//! them.

use serde_json::json;
use thirtyfour::Key;

use crate::stage::{Browser, Lab, lab_showing};

/// The address of a storm of a few virtual seconds.
const SHORT: &str = "story=spike&seed=18446744073709551615&calls_per_second=20&workers=3\
                     &incident_lasts_seconds=2";

/// The address of a storm that runs longer than any test.
const LONG: &str = "story=spike&calls_per_second=1000&workers=1000";

impl Browser {
    /// Loads Storm with this part of the address.
    pub(crate) async fn show_storm(&self, lab: &Lab, asked: &str) {
        self.show(lab, &format!("/storm#{asked}")).await;
        self.until("one('#storm-guesses label')").await;
    }

    /// Starts a storm, and waits for its first curve.
    async fn begin_storm(&self) {
        self.press("r").await;
        self.until("one('.storm path.load')?.getAttribute('d')")
            .await;
    }

    /// Waits for the end of the storm that is shown.
    pub(crate) async fn storm_ended(&self) {
        self.until("!one('#storm-actions').hidden").await;
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_storm_is_guessed_repeated_cancelled_and_varied() {
    let (lab, browser) = lab_showing("/").await;

    // A guess is made and judged by keyboard.
    browser.press_on("m").await;
    browser.until("one('#storm-guesses label')").await;
    browser.read("one('#storm-guesses input').focus()").await;
    browser.press(" ").await;
    browser.press("r").await;
    browser.storm_ended().await;
    let answer = "✗ Your prediction: 1 attempt. Right: 1 attempt · 3, budget.";
    browser.shows("text('.answer')", answer).await;
    let learnt = ["Retries are load: ", "The model leaves out\n"];
    browser.says("text('#pictures .learned')", &learnt).await;
    assert_eq!(browser.address().await, "/storm");
    assert_eq!(browser.complaints().await, [""; 0]);

    // An address repeats a storm to the last curve. A seed keeps all of its digits.
    browser.show_storm(&lab, SHORT).await;
    browser.storm_ended().await;
    let curves = "each('#pictures path').map((path) => path.getAttribute('d'))";
    let hash = "location.hash.slice(1)";
    let first = browser.read(curves).await;
    browser.shows(hash, SHORT).await;
    browser.reload().await;
    browser.storm_ended().await;
    browser.shows(curves, first).await;
    browser.shows(hash, SHORT).await;
    let report = "fetch(one('#storm-report').href)
        .then(async (response) => done([response.status, (await response.text()).includes('18446744073709551615')]))";
    assert_eq!(browser.ask(report).await, json!([200, true]));

    // A storm that is cancelled keeps its pictures.
    browser.show_storm(&lab, LONG).await;
    browser.begin_storm().await;
    browser.shows("text('#start-storm')", "Running").await;
    browser.press("x").await;
    browser.storm_ended().await;
    let endings = "all('.storm h3 > span')";
    browser.shows(endings, json!(["· cancelled"])).await;
    browser.shows("text('#start-storm')", "Run again").await;

    for (asked, has_ended) in [(SHORT, true), (LONG, false)] {
        browser.show_storm(&lab, asked).await;
        assert_stories_begin_empty(&browser, has_ended).await;
    }

    browser.show_storm(&lab, "story=spike&own.attempts=3").await;
    assert_sliders_are_sent(&browser).await;
    browser
        .show_storm(&lab, "story=spike&workers=0&incident_lasts_seconds=2")
        .await;
    assert_a_refused_setting_is_mended(&browser).await;
}

/// Runs a storm, and chooses each story: nothing of the storm before is left.
async fn assert_stories_begin_empty(browser: &Browser, has_ended: bool) {
    browser.begin_storm().await;
    if has_ended {
        browser.storm_ended().await;
    }
    let stories = browser
        .read("each('#stories option').map((story) => story.value)")
        .await;
    let stories = stories.as_array().expect("stories").clone();

    for story in stories.iter().rev() {
        let choose = format!(
            "one('#stories').value = {story};
             one('#stories').dispatchEvent(new Event('change', {{ bubbles: true }}));
             done(null)"
        );
        browser.ask(&choose).await;

        let left = "[all('#pictures > *').length, one('#storm-actions').hidden,
                     one('#storm-nothing').hidden, text('#start-storm')]";
        browser.shows(left, json!([0, true, false, "Run"])).await;
        // Loaded again, the page shows this story and not the one before.
        let named = "location.hash === `#story=${one('#stories').value}`";
        browser.shows(named, true).await;
    }
    browser.press("r").await;
    browser.until("one('#pictures > *')").await;
    browser.press("x").await;
    browser.storm_ended().await;
}

/// Each slider changes its own setting.
async fn assert_sliders_are_sent(browser: &Browser) {
    // The settings that are sent, with each slider moved by one step.
    let sliders = "each('.sliders div :is(input, select)')";
    let script = format!(
        "const {{ fetch }} = window; const orders = [];
         window.fetch = (path, options) => {{ orders.push(options.body); return Promise.reject(new TypeError('off')); }};
         for (const slider of {sliders}) {{
           const stood = slider.value;
           slider.value = Number(stood) + (slider.matches('select') ? 1 : 2);
           slider.dispatchEvent(new Event('input', {{ bubbles: true }}));
           one('#storm-form').requestSubmit();
           await new Promise((then) => setTimeout(then));
           slider.value = stood;
           slider.dispatchEvent(new Event('input', {{ bubbles: true }}));
         }}
         window.fetch = fetch; done(orders.map((body) => JSON.parse(body)));"
    );
    let script = format!("(async () => {{ {script} }})()");

    let orders = browser.ask(&script).await;

    let orders = orders.as_array().expect("orders");
    let changed: Vec<_> = orders[..3]
        .iter()
        .map(|order| keys(&order["settings"]))
        .collect();
    assert_eq!(
        changed,
        [
            ["calls_per_second"],
            ["workers"],
            ["incident_lasts_seconds"]
        ]
    );
    let usual = json!({ "attempts": 3, "backoff": "jitter", "budget": 0, "deadline_seconds": 0 });
    let own = orders[3..].iter().map(|order| {
        let own = order["own"].as_object().expect("parameters");
        let changed = own.iter().filter(|(name, value)| usual[name] != **value);
        changed.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    });
    let own: Vec<_> = own.collect();
    assert_eq!(
        own,
        [["attempts"], ["backoff"], ["budget"], ["deadline_seconds"]]
    );
}

/// A setting that the server refuses is explained, until the slider has one that there is.
async fn assert_a_refused_setting_is_mended(browser: &Browser) {
    let problem = "text('#storm-problem')";

    browser.press("r").await;
    let rule = "the number of workers must be a whole number from 1 to 10000, got 0";
    browser.becomes(problem, rule).await;
    // One step of the slider, and the value is one that there is.
    let slider = "one('#storm-settings label:nth-child(2) input')";
    browser.read(&format!("{slider}.focus()")).await;
    browser.press_key(Key::Home).await;
    browser.press_key(Key::Right).await;

    let said = format!("{slider}.getAttribute('aria-valuetext')");
    browser.shows(&said, "2 workers").await;
    browser.press("r").await;
    browser.becomes(problem, "").await;
    browser.press("x").await;
    browser.storm_ended().await;
}

/// The names of the members of an object.
fn keys(object: &serde_json::Value) -> Vec<&str> {
    let object = object.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}
