//! The report of a run, as a browser would parse it: its content, the resources that it
//! must not load, and how `--report` writes it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use render::Options;
use ring::digest::{SHA256, digest};
use scenario::{
    Answer, Check, ClientUnderTest, Comparison, Naive, Reliable, ScenarioRun, Settings, Story,
    catalogue::{self, CATALOGUE, Scenario},
    run,
    trace::{FieldValue, field},
};

async fn run_scenario(name: &str) -> (&'static Scenario, ScenarioRun) {
    run_by(&Reliable, name).await
}

async fn run_by(
    client: &'static dyn ClientUnderTest,
    name: &str,
) -> (&'static Scenario, ScenarioRun) {
    let scenario = catalogue::find(name).expect("a scenario of the catalogue");
    let run = run(scenario, &Settings::in_virtual_time(client, 1)).await;
    (scenario, run.expect("a run"))
}

fn html(scenario: &Scenario, run: &ScenarioRun, prediction: Option<&Answer>) -> String {
    let story = Story::of_run(&scenario.words, run, Options::LAB);
    story.with_prediction(prediction).page()
}

async fn page(name: &str) -> String {
    let (scenario, run) = run_scenario(name).await;
    html(scenario, &run, None)
}

/// A prediction for `flaky`.
fn predicted(typed: &str) -> Answer {
    let scenario = catalogue::find("flaky").expect("known");
    let prediction = scenario.words.question.predict(typed);
    prediction.expect("a number")
}

/// A comparison, and its page.
async fn comparison(name: &str) -> (&'static Scenario, Comparison, String) {
    let (scenario, reliable) = run_scenario(name).await;
    let (_, naive) = run_by(&Naive, name).await;
    let next = scenario.next_comparison(scenario::NAIVE);
    let both = Comparison::of([reliable, naive], next);
    let page = Story::of_comparison(&scenario.words, &both, Options::LAB).page();
    (scenario, both, page)
}

/// Every opening tag, with its attributes, and the text up to the next tag.
fn tags(page: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    page.split('<').skip(1).filter_map(|part| {
        let (tag, text) = part.split_once('>')?;
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        (!name.starts_with('/')).then_some((name, attributes, text))
    })
}

/// All values of an attribute.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let opening = format!(" {attribute}=\"");
    let after = page.split(&*opening).skip(1);
    after.filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn a_report_has_its_sections_in_order() {
    let page = page("flaky").await;

    let parts = ["h1", "code", "h2", "caption", "th", "title", "desc"];
    let outline: Vec<_> = tags(&page)
        .filter(|(name, _, text)| parts.contains(name) && !text.is_empty())
        .map(|(name, _, text)| format!("{name:<8}{text}"))
        .collect();
    insta::assert_snapshot!(outline.join("\n"), @"
    title   flaky — the service fails twice, then recovers
    code    flaky
    h2      The question
    code    lab serve
    code    curl -i http://127.0.0.1:8765/flaky -H 'accept: application/json'
    code    lab serve
    code    curl -i http://127.0.0.1:8765/flaky -H 'accept: application/json'
    code    lab serve
    code    curl -i http://127.0.0.1:8765/flaky -H 'accept: application/json'
    h2      Expected
    h2      Why it matters
    code    cargo run -p lab -- scenario flaky --max-attempts 2
    h2      Counters
    caption The changes by this run, under their names in /metrics
    th      counter
    th      change
    th      what it answers
    code    client_attempts_total
    code    client_retries_total
    code    client_calls_total
    code    service_faults_total
    h2      On the wire
    caption Every request as the service saw it; times count from the start of the run
    th      #
    th      arrived
    th      request
    th      status
    th      fault
    th      request id
    th      1
    th      2
    th      3
    ");
}

/// The classes of the elements with this name, in a page.
fn classes<'a>(page: &'a str, tag: &'a str) -> impl Iterator<Item = &'a str> {
    let of_tag = tags(page).filter(move |(name, ..)| *name == tag);
    of_tag.filter_map(|(_, attributes, _)| attributes.strip_prefix("class=\"")?.split('"').next())
}

#[tokio::test]
async fn every_row_has_a_bar_of_its_kind() {
    let page = page("flaky").await;

    let expected = ["failed", "wait", "failed", "wait", "good"];
    // The service's side is inside a row, and the ceiling of a wait behind its bar.
    let is_drawn = |kind: &&str| !["", "listed", "service", "ceiling"].contains(kind);
    let rows = classes(&page, "details").filter(is_drawn);
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let (_, picture) = page.split_once("<ol class=\"rows\"").expect("rows");
    let (picture, _) = picture
        .split_once("<ul class=\"legend\"")
        .expect("a legend");
    let bars = classes(picture, "rect").filter_map(|class| class.strip_prefix("bar "));
    assert_eq!(bars.filter(is_drawn).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn the_legend_has_the_kinds_that_are_drawn() {
    for (name, kinds) in [
        ("flaky", &["good", "failed", "wait", "ceiling"][..]),
        ("items", &["good"]),
        ("bad-json", &["failed"]),
        ("looping-items", &["good", "failed", "stop"]),
        ("too-many-requests", &["good", "failed", "wait", "queue"]),
    ] {
        let page = page(name).await;

        let (_, legend) = page.split_once("<ul class=\"legend\"").expect("a legend");
        let (legend, _) = legend.split_once("</ul>").expect("its end");
        let shown = classes(legend, "rect").filter_map(|class| class.strip_prefix("bar "));
        assert_eq!(shown.collect::<Vec<_>>(), kinds, "{name}");
    }
}

#[tokio::test]
async fn rows_name_the_cursors_the_keys_and_the_crash() {
    for (name, notes) in [
        (
            "looping-items",
            &[
                "first page → cursor A",
                "cursor A → cursor B",
                "cursor B → cursor A",
            ][..],
        ),
        (
            "resumed-crawl",
            &["first page → cursor A", "cursor A → end", "cursor A → end"],
        ),
        (
            "lost-response",
            &[
                "key 1, body 1, a job was created",
                "key 1, body 1, the same job",
            ],
        ),
    ] {
        let page = page(name).await;

        let shown = tags(&page).filter(|(_, attributes, _)| *attributes == "class=\"note\"");
        assert_eq!(
            shown.map(|(.., text)| text).collect::<Vec<_>>(),
            notes,
            "{name}"
        );
    }
    let crash = "page 2 processed, not saved";
    assert!(page("resumed-crawl").await.contains(crash));
}

/// Asserts that a page needs no other file and no script, and that each of its references
/// has exactly one target.
fn assert_stands_alone(page: &str) {
    let lower = page.to_lowercase();
    let elements = ["script", "link", "img", "iframe", "base", "form"];
    let attributes = ["src=", "href=", "style=", "onload="];
    for (tag, given, _) in tags(&lower) {
        assert!(!elements.contains(&tag), "{tag}");
        // A link loads nothing until somebody follows it.
        let may_link = tag == "a" && given.starts_with("href=\"https://");
        let forbidden = attributes
            .iter()
            .filter(|attribute| !may_link || **attribute != "href=")
            .find(|attribute| given.contains(**attribute));
        assert_eq!(forbidden, None, "{tag} {given}");
    }
    // The patterns that fill bars and columns are parts of the page.
    let patterns = ["hatch", "crossed", "stripes", "dots", "lines"];
    let lower = patterns.iter().fold(lower.clone(), |lower, pattern| {
        lower.replace(&format!("url(\"#{pattern}\")"), "")
    });
    for forbidden in ["@import", "url(", "javascript:"] {
        assert!(!lower.contains(forbidden), "{forbidden}");
    }
    let ids = values(page, "id");
    let unique: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    for label in values(page, "aria-labelledby") {
        for id in label.split(' ') {
            assert!(ids.contains(&id), "{id} is missing in\n{page}");
        }
    }
}

#[tokio::test]
async fn a_report_stands_alone() {
    for scenario in CATALOGUE {
        assert_stands_alone(&page(scenario.words.name).await);
    }
    assert_stands_alone(&comparison("lost-response").await.2);
}

#[tokio::test]
async fn the_policy_allows_only_the_reports_own_style() {
    let page = page("flaky").await;

    let (_, style) = page.split_once("<style>").expect("a style sheet");
    let (style, _) = style.split_once("</style>").expect("its end");
    let hash = BASE64_STANDARD.encode(digest(&SHA256, style.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    );
    assert!(values(&page, "content").contains(&&*policy), "{policy}");
}

#[tokio::test]
async fn a_comparison_contains_the_differences_and_both_sides() {
    let (_, both, page) = comparison("lost-response").await;

    let headings: Vec<_> = tags(&page)
        .filter(|(name, ..)| *name == "h2")
        .map(|(.., text)| text)
        .collect();
    let expected = [
        "The question",
        "What differs",
        "Measured and expected",
        "Why it matters",
        "Counters",
        "On the wire · reliable",
        "On the wire · naive",
    ];
    assert_eq!(headings, expected);
    for run in &both.runs {
        for entry in &run.wire.entries {
            assert!(page.contains(&*entry.request_id), "{entry:?}");
        }
    }
    for effect in &both.compared.effects {
        assert!(page.contains(effect.label), "{effect:?}");
    }
    assert!(page.contains("up to 3 attempts") && page.contains("up to 10 attempts"));
}

/// Of fifty pages alike three are drawn, and the others wait in one row. Both clients have the
/// same columns, since equal times stand below each other.
#[tokio::test]
async fn a_comparison_folds_repeated_rows_and_keeps_all() {
    for scenario in CATALOGUE {
        let (_, both, page) = comparison(scenario.name()).await;

        let ids: BTreeSet<_> = values(&page, "id").into_iter().collect();
        for (side, run) in both.runs.iter().enumerate() {
            for row in run.timeline().rows {
                let id = format!("row-{side}-{}", row.id);
                assert!(ids.contains(&*id), "{id} is missing in {scenario:?}");
            }
        }
        let waterfalls: BTreeSet<_> = values(&page, "class")
            .into_iter()
            .filter(|class| class.starts_with("fall"))
            .collect();
        assert_eq!(waterfalls.len(), 1, "{scenario:?}: {waterfalls:?}");
    }
    let folded = |page: &str| page.matches(" more</span>").count();
    let (scenario, both, page) = comparison("endless-items").await;
    assert!(page.contains("× 47 more</span>"));
    assert_eq!(folded(&html(scenario, &both.runs[1], None)), 0);
}

#[tokio::test]
async fn the_picture_of_the_limit_names_each_fall() {
    let page = page("too-many-requests").await;

    let (_, numbers) = page.split_once("class=\"row limit\"").expect("a limit");
    let (numbers, _) = numbers.split_once("</svg>").expect("an end");
    let numbers = tags(numbers).filter(|(name, ..)| *name == "text");
    let numbers: Vec<_> = numbers.map(|(.., text)| text).collect();
    assert_eq!(numbers, ["64", "32", "16", "8"]);
    let heights: BTreeSet<_> = values(&page, "y").into_iter().collect();
    assert!(heights.len() > numbers.len(), "{heights:?}");
}

/// The ends of each picture's bars, in percent of its width.
fn reach(page: &str) -> Vec<f64> {
    let pictures = page.split("<div class=\"fall").skip(1);
    let percent = |attributes: &str, name: &str| -> f64 {
        let value = attributes.split_once(&format!(" {name}=\""));
        let value = value.and_then(|(_, rest)| rest.split_once('%'));
        value.map_or(0.0, |(value, _)| value.parse().expect("a number"))
    };
    pictures
        .map(|picture| {
            let (picture, _) = picture
                .split_once("<div class=\"side-of-run\"")
                .unwrap_or((picture, ""));
            let bars = tags(picture)
                .filter(|(name, attributes, _)| *name == "rect" && !attributes.contains("ceiling"));
            let ends = bars
                .map(|(_, attributes, _)| percent(attributes, "x") + percent(attributes, "width"));
            ends.fold(0.0, f64::max)
        })
        .collect()
}

/// Equal durations have equal lengths on both sides.
#[tokio::test]
async fn a_comparison_has_one_axis_of_time() {
    let (scenario, both, page) = comparison("read-timeout").await;

    let alone = both
        .runs
        .each_ref()
        .map(|run| reach(&html(scenario, run, None))[0]);
    let beside = reach(&page);

    // An axis is a round number, and the picture fills at least half of it.
    assert!(
        alone.iter().all(|reach| (50.0..=100.1).contains(reach)),
        "{alone:?}"
    );
    assert_eq!(beside.len(), 2);
    assert!(beside[0] < alone[0] && beside[1] == alone[1], "{beside:?}");
}

/// A failed call may be exactly what was expected, and a call that succeeded may break a rule.
#[tokio::test]
async fn the_headline_of_a_run_is_good_only_if_every_expectation_held() {
    let of_reliable = [
        ("retry-later", "gave up, as expected · 503"),
        ("flaky", "ok on attempt 3"),
    ];
    for (name, ending) in of_reliable {
        let page = page(name).await;

        let good = format!(
            "<span class=\"result ok\"><span class=\"sign\" aria-hidden=\"true\">✓</span>{ending}</span>"
        );
        assert!(page.contains(&good), "{good} is missing in {page}");
    }
    let (_, _, page) = comparison("flaky").await;
    let bad = "<span class=\"result no\"><span class=\"ending\">ok on attempt 3</span> · \
               <span class=\"sign\" aria-hidden=\"true\">✗</span>1 of 5 expectations not met</span>";
    assert!(page.contains(bad), "{bad} is missing in {page}");
}

/// The source of each check, and the requests to look at.
#[tokio::test]
async fn a_check_names_its_source_and_the_offending_requests() {
    let (scenario, both, _) = comparison("retry-later").await;
    let run = &both.runs[1];
    let rule = Some("retry-after-seconds");
    let broken = run.verdict.iter().find(|check| check.rule == rule);
    let broken = broken.expect("the naive client comes early");

    let page = html(scenario, run, None);
    let text = scenario::text(&scenario.words, run, None, &Options::default());

    for Check { source, text, .. } in &run.verdict {
        let line = format!("<span class=\"source\">{source}</span><span>{text}");
        assert!(page.contains(&line), "{line} is missing in\n{page}");
    }
    let sources: BTreeSet<_> = run
        .verdict
        .iter()
        .map(|check| check.source.to_string())
        .collect();
    assert_eq!(sources.len(), 2, "{sources:?}");
    let found = broken.contradiction().expect("what was found");
    assert!(found.ends_with(" (requests 2, 3, 4 and 6 more)"), "{found}");
    let strong = format!("<strong>{found}</strong>");
    assert!(page.contains(&strong), "{page}");
    let words: Vec<_> = text.split_whitespace().collect();
    assert!(words.join(" ").contains(&found), "{text}");
}

#[tokio::test]
async fn text_from_the_wire_is_escaped() {
    let (scenario, mut run) = run_scenario("flaky").await;
    let plain = html(scenario, &run, Some(&predicted("3")));
    let canary = "<script>alert(\"1\")</script>&amp;'><b x=\"";
    run.outcome.text = canary.to_owned();
    for span in &mut run.trace.spans {
        for name in [field::FAULT, field::OTEL_NAME, field::ERROR_TYPE] {
            if span.fields.get(name).is_some() {
                span.fields.set(name, FieldValue::Str(canary.into()));
            }
        }
    }
    for entry in &mut run.wire.entries {
        entry.route = canary.to_owned().into();
    }
    run.verdict[0].found = Some(canary.to_owned());

    let prediction = Answer {
        text: canary.to_owned(),
        ..predicted("3")
    };
    let page = html(scenario, &run, Some(&prediction));

    let names = |page: &str| {
        let mut names = BTreeMap::<_, u32>::new();
        for (name, ..) in tags(page) {
            *names.entry(name.to_owned()).or_default() += 1;
        }
        // The finding of a failed check is bold.
        names.remove("strong");
        names
    };
    assert_eq!(names(&page), names(&plain));
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;"));
}

#[tokio::test]
async fn the_judged_prediction_names_the_clients_of_a_comparison() {
    for (name, guess, verdict) in [
        ("flaky", "3", "3 requests, correct."),
        (
            "lost-response",
            "2",
            "2 jobs; the answer: 1 job (reliable), 2 jobs (naive).",
        ),
    ] {
        let (scenario, both, _) = comparison(name).await;
        let words = &scenario.words;
        let predicted = words.question.predict(guess).expect("an answer");
        let story = Story::of_comparison(words, &both, Options::LAB);

        let page = story.with_prediction(Some(&predicted)).page();

        assert!(
            page.contains(&format!(" Your prediction: </b>{verdict}")),
            "{page}"
        );
    }
}

/// A report runs nothing.
#[tokio::test]
async fn only_a_page_has_a_link_to_what_it_suggests() {
    let (scenario, both, report) = comparison("flaky").await;
    let mut story = Story::of_comparison(&scenario.words, &both, Options::LAB);
    story.next_link = Some("/scenarios/flaky-gives-up".to_owned());

    let page = story.fragment().into_string();

    let link = "href=\"/scenarios/flaky-gives-up\">Try it</a>";
    assert!(page.contains(link) && !report.contains("Try it"), "{page}");
}

#[tokio::test]
async fn a_side_that_could_not_be_run_leaves_the_result_of_the_other() {
    let (scenario, both, _) = comparison("flaky").await;
    let whole = Story::of_comparison(&scenario.words, &both, Options::LAB);
    let mut half = whole.clone();
    half.compared = None;
    half.error = Some("no free port");
    half.sides[1].run = None;

    let [whole, half] = [whole.spoken(), half.spoken()];

    insta::assert_snapshot!(whole, @"the reliable client: ok on attempt 3, 3 attempts, 5 of 5 expectations met; the naive client: ok on attempt 3, 3 attempts, 1 of 5 expectations not met");
    insta::assert_snapshot!(half, @"the reliable client: ok on attempt 3, 3 attempts, 5 of 5 expectations met; the naive client: could not be run: no free port");
}

#[tokio::test]
async fn says_so_if_no_request_reached_the_service() {
    let page = page("connection-refused").await;

    assert!(page.contains("No request reached the service."));
}

/// The colours to which the style sheet gives names, in one of its two schemes.
fn colors(block: &str, scheme: usize) -> BTreeMap<&str, [f64; 3]> {
    block
        .split("--")
        .skip(1)
        .filter_map(|declaration| {
            let (name, values) = declaration.split_once(": light-dark(")?;
            let value = values.split('#').nth(scheme + 1)?;
            let channel = |at| u8::from_str_radix(value.get(at..at + 2)?, 16).ok();
            let channels = [channel(0)?, channel(2)?, channel(4)?];
            Some((name, channels.map(|channel| f64::from(channel) / 255.0)))
        })
        .collect()
}

/// The contrast of two colours as WCAG 2.2 defines it, from 1 to 21.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let luminance = |color: [f64; 3]| {
        let [red, green, blue] = color.map(|channel| match channel {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[tokio::test]
async fn every_text_has_enough_contrast_in_every_scheme() {
    let page = page("flaky").await;

    let (_, block) = page.split_once(":root {").expect("the colours");
    let (block, _) = block.split_once('}').expect("their end");
    for scheme in [0, 1] {
        let colors = colors(block, scheme);
        for ground in ["ground", "panel", "raised", "chosen"] {
            for text in ["ink", "soft", "accent", "ok", "failed", "wait"] {
                let contrast = contrast(colors[text], colors[ground]);
                assert!(
                    contrast >= 4.5,
                    "{text} on {ground} in {scheme}: {contrast:.2}"
                );
            }
        }
    }
}

fn lab(arguments: &[&str]) -> Output {
    let lab = crate::program::lab().args(arguments).output();
    lab.expect("lab runs")
}

const FLAKY: [&str; 6] = ["scenario", "flaky", "--pace", "virtual", "--seed", "1"];

fn report(file: &Path) -> Output {
    let file = file.to_str().expect("a path in UTF-8");
    lab(&[&FLAKY[..], &["--report", file]].concat())
}

/// A folder of the test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[tokio::test]
async fn the_option_writes_the_page_and_still_prints_the_text() {
    let folder = folder("report-writes");
    let file = folder.join("flaky.html");
    fs::write(&file, page("items").await).expect("an older report");

    let output = report(&file);

    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let written = fs::read_to_string(&file).expect("a report");
    assert!(written == page("flaky").await, "not the page of the run");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.starts_with("flaky — "), "{stdout}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        format!("report written to {}\n", file.display())
    );
    let left = fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(left, 1, "nothing is left beside the report");
}

#[test]
fn an_unwritable_file_is_reported_before_any_run() {
    let nowhere = folder("report-nowhere").join("missing").join("flaky.html");

    let output = report(&nowhere);

    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    let start = format!(
        "error: the report could not be written to {}: ",
        nowhere.display()
    );
    assert!(error.starts_with(&start), "{error}");
    assert!(output.stdout.is_empty(), "nothing was run");
}

#[test]
fn a_storm_is_a_page_with_a_picture_for_each_policy_and_the_same_in_words() {
    let file = folder("report-storm").join("storm.html");
    let path = file.to_str().expect("a path in UTF-8");
    let options = "--calls-per-second 20 --workers 3 --incident-lasts 2 --length 16 --report";
    let options: Vec<_> = options.split(' ').collect();

    let output = lab(&[&["storm"], &options[..], &[path]].concat());

    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(!output.stdout.is_empty(), "the text is there all the same");
    let page = &fs::read_to_string(file).expect("a report");
    assert_stands_alone(page);
    let labels = values(page, "aria-label");
    let policies = storm::STORIES[0].policies;
    for policy in policies {
        let told = format!("{}: ", policy.name);
        let pictures = labels.iter().filter(|label| label.starts_with(&told));
        assert_eq!(pictures.count(), 1, "{told} in {labels:?}");
        let row = tags(page).any(|(tag, _, text)| tag == "th" && text.trim() == policy.name);
        assert!(row, "{}", policy.name);
    }
    let curves = values(page, "d").into_iter().filter(|d| d.len() > 200);
    assert!(curves.count() >= policies.len(), "too few curves");
}
