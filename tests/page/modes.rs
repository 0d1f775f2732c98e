//! The pages as different people see them: in four modes that a program can check, in forced
//! colours, in print, and on a phone.

use std::{collections::BTreeMap, env, fs, path::Path};

use serde_json::json;
use thirtyfour::Key;

use crate::{
    stage::{Browser, Lab, OVER, PROJECTOR, TELEPHONE},
    storm::SHORT,
};

/// axe-core, from where `AXE_CORE` says that npm put it.
fn axe() -> String {
    let folder = env::var_os("AXE_CORE")
        .expect("AXE_CORE names the folder that npm installed axe-core into");
    let path = Path::new(&folder).join("node_modules/axe-core/axe.min.js");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A script that asks axe-core, with these further options, what is not accessible.
fn violations(options: &str) -> String {
    format!(
        "axe.run({{ resultTypes: ['violations'], {options} }}).then(({{ violations }}) => done(violations.map(
             ({{ id, nodes }}) => id + ': ' + nodes.map((node) => node.target + ' ' + node.failureSummary).join(', '))))"
    )
}

/// Runs axe-core, which stays on the page, with all its rules in the light scheme, and in the dark
/// one with those that look at colours: a scheme changes nothing else.
pub(crate) async fn assert_accessible(browser: &Browser, view: &str) {
    if browser.read("'axe' in window").await != true {
        browser.read(&format!("(() => {{ {} }})()", axe())).await;
    }
    let colours = "runOnly: ['color-contrast', 'link-in-text-block']";
    for (scheme, options) in [("light", ""), ("dark", colours)] {
        browser.in_scheme(scheme).await;
        let found = browser.ask(&violations(options)).await;
        assert_eq!(found, json!([]), "in {view}, {scheme}");
    }
}

/// The texts that are smaller than 14 pixels, and are no numbers of an axis.
const TOO_SMALL: &str = "each('main *').filter((part) => part.checkVisibility() && !part.matches('.unseen, .ticks *, .lasted, .tick, .numbers *, .chip.next .sign')
    && [...part.childNodes].some((child) => child.nodeType === 3 && child.data.trim())
    && parseFloat(getComputedStyle(part).fontSize) < 14).map((part) => part.outerHTML)";

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn axe_finds_no_violation_on_any_page_on_a_projector() {
    assert_every_page_is_accessible(PROJECTOR).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn axe_finds_no_violation_on_any_page_on_a_phone() {
    assert_every_page_is_accessible(TELEPHONE).await;
}

/// Checks every page in a window of this size.
async fn assert_every_page_is_accessible(size: (u32, u32)) {
    let lab = Lab::start();
    let browser = Browser::open(size).await;
    let fits_and_is_accessible = async |view: &str| {
        let view = format!("{view}, {} pixels wide", size.0);
        assert_accessible(&browser, &view).await;
        assert_eq!(browser.read(OVER).await, 0, "{view}");
    };

    for path in [
        "/",
        "/course",
        "/client",
        "/runs",
        "/scenarios/items?predict",
        "/scenarios/text-json?predict&present",
        "/scenarios/flaky?backoff_ms=50",
        "/nowhere",
    ] {
        browser.show(&lab, path).await;
        fits_and_is_accessible(path).await;
        browser.shows(TOO_SMALL, json!([])).await;
    }
    let compared = "/scenarios/lost-response?client=compare&pace=virtual";
    browser.show(&lab, compared).await;
    browser.submit("#run").await;
    browser.press("w").await;
    browser.press_key(Key::Enter).await;
    browser.until("text('[open] > .facts')").await;
    fits_and_is_accessible("a comparison").await;
    browser.shows(TOO_SMALL, json!([])).await;
    browser.read("one('#show-keys').click()").await;
    browser.until("one('#keys').matches(':popover-open')").await;
    fits_and_is_accessible("the keys").await;
    browser.show(&lab, "/runs").await;
    fits_and_is_accessible("the runs").await;

    for path in ["/storm/spike?predict", "/storm/spike?workers=0", SHORT] {
        browser.show_storm(&lab, path).await;
        fits_and_is_accessible(path).await;
        browser.shows(TOO_SMALL, json!([])).await;
    }

    browser.show_metrics(&lab).await;
    fits_and_is_accessible("the metrics").await;
}

/// The kinds of parts that must not be mistaken for each other.
const KINDS: [&str; 4] = ["good", "failed", "wait", "flying"];

/// The look of each part: where it is, its kind, its colour, and its colour with its
/// pattern.
const LOOKS: &str = "each('#looks .bar, #run-shown .bar').map((bar) => {
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

/// Asserts that the page of a view, printed, has no control.
async fn assert_prints_no_control(browser: &Browser) {
    browser.emulate("print", json!([])).await;
    let controls = "each('button, .button, input, select, .skip').filter((part) => part.checkVisibility()).map((part) => part.outerHTML)";
    browser.shows(controls, json!([])).await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn each_kind_of_part_has_its_own_look_in_every_mode_and_print_has_no_control() {
    let lab = Lab::start();
    let browser = Browser::open(PROJECTOR).await;
    browser
        .show(&lab, "/scenarios/too-many-requests?pace=virtual")
        .await;
    browser.submit("#run").await;
    // A call that was refused, open; and a part that was interrupted, which this run has not.
    browser
        .read(
            "(() => { const refused = each('details.call').find((call) => call.querySelector('.bar.failed'));
               refused.open = true;
               const chart = one('.legend svg').cloneNode(true);
               chart.id = 'looks'; chart.firstElementChild.setAttribute('class', 'bar flying');
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

    browser.emulate("", json!([])).await;
    browser.show(&lab, "/scenarios/flaky?pace=virtual").await;
    browser.submit("#run").await;
    assert_prints_no_control(&browser).await;
    let is_shown = "['.top', '#side', '#form', 'details.wait .bar.wait'].map((part) => one(part).checkVisibility())";
    browser
        .shows(is_shown, json!([false, false, false, true]))
        .await;
    browser.emulate("", json!([])).await;
    browser.show_storm(&lab, SHORT).await;
    assert_prints_no_control(&browser).await;
    browser.emulate("", json!([])).await;
    browser.show_metrics(&lab).await;
    assert_prints_no_control(&browser).await;
}
