//! The looks of the parts of a picture, as a browser computes them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::stage::{Browser, Lab, PROJECTOR};

/// The kinds of parts that must not be mistaken for each other.
const KINDS: [&str; 4] = ["ok", "failed", "wait", "open"];

/// The look of each part: where it is, its kind, its colour, and its colour with its
/// pattern.
const LOOKS: &str = "each('#looks .bar, #story .bar').map((bar) => {
    const { stroke, fill, strokeDasharray } = getComputedStyle(bar);
    const place = bar.closest('.legend') ? 'legend' : bar.closest('[open] .rows') ? 'expanded' : 'row';
    return [place, bar.classList[1], stroke, [stroke, fill, strokeDasharray].join(' ')];
})";

/// Asserts that each kind has one look at every place, and that no two kinds share a
/// colour or a pattern.
async fn assert_kinds_differ(browser: &Browser, mode: &str) {
    let looks = browser.read(LOOKS).await;
    let looks: Vec<[String; 4]> = serde_json::from_value(looks).expect("looks");
    let mut found = BTreeMap::<&str, (&str, &str)>::new();
    for [place, kind, colour, look] in &looks {
        let first = found.entry(kind).or_insert((colour, look));
        assert_eq!(first.1, look, "{kind} in {place}, {mode}");
    }
    for place in ["legend", "row", "expanded"] {
        assert!(
            looks.iter().any(|look| look[0] == place),
            "no {place}, {mode}"
        );
    }
    let pattern = |(colour, look): (&str, &str)| look.replace(colour, "");
    for (at, kind) in KINDS.iter().enumerate() {
        let (colour, look) = found[kind];
        for other in &KINDS[..at] {
            assert_ne!(found[other].0, colour, "{kind} and {other}, {mode}");
            assert_ne!(found[other].1, look, "{kind} and {other}, {mode}");
            assert_ne!(
                pattern(found[other]),
                pattern((colour, look)),
                "{kind} and {other}, {mode}"
            );
        }
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn each_kind_of_part_has_its_own_colour_and_pattern_in_every_mode() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "too-many-requests").await;
    browser.click("label:has([value=virtual])").await;
    browser.run().await;
    // A call that was refused, open; and a part that was interrupted, which this run has not.
    browser
        .read(
            "(() => { const refused = each('.span.operation').find((call) => call.querySelector('.bar.failed'));
               refused.open = true;
               const chart = one('.legend svg').cloneNode(true);
               chart.id = 'looks'; chart.firstElementChild.setAttribute('class', 'bar open');
               one('main').append(chart); })()",
        )
        .await;

    for scheme in ["light", "dark"] {
        for (forced, media) in [("none", ""), ("active", ""), ("none", "print")] {
            let features = json!([
                { "name": "prefers-color-scheme", "value": scheme },
                { "name": "forced-colors", "value": forced },
            ]);
            browser.emulate(media, features).await;
            assert_kinds_differ(&browser, &format!("{scheme}, {forced}, {media}")).await;
        }
    }
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn print_shows_the_bars_and_no_control() {
    let lab = Lab::start();
    let browser = Browser::at(&lab, PROJECTOR, "flaky").await;
    browser.click("label:has([value=virtual])").await;
    browser.run().await;

    browser.emulate("print", Value::Array(Vec::new())).await;

    let is_shown =
        "['.top', '#form', '.span.wait .bar.wait'].map((part) => one(part).checkVisibility())";
    browser.shows(is_shown, json!([false, false, true])).await;
    let controls = "each('button, input, select, .skip').filter((part) => part.checkVisibility()).map((part) => part.outerHTML)";
    browser.shows(controls, json!([])).await;
    let grade = Browser::at_grade(&lab, PROJECTOR).await;
    grade.open_cases().await;
    grade.click("#tasks summary").await;
    let storm = Browser::at_storm(&lab, PROJECTOR, "story=spike").await;
    for browser in [grade, storm] {
        browser.emulate("print", Value::Array(Vec::new())).await;
        browser.shows(controls, json!([])).await;
    }
}
