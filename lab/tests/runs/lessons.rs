//! The lesson about a run must agree with the wire.

use std::collections::HashSet;

use clap::Parser;
use scenario::{
    Comparison, NAIVE, Overrides, RELIABLE,
    catalogue::{self, CATALOGUE, Scenario},
    run,
};

use crate::runs::{
    comparison::text_of,
    pairwise_runs::{PAIRWISE_RUNS, PairwiseRun},
    report, settings, text,
};

#[test]
fn a_sentence_about_a_client_names_it() {
    for scenario in CATALOGUE {
        let words = &scenario.words;
        for (client, sentence) in [("reliable", words.reliable), ("naive", words.naive)] {
            let is_named = [" client", "'s workers"]
                .iter()
                .any(|of| sentence.contains(&format!("{client}{of}")));
            assert!(is_named, "{}: {sentence}", words.name);
        }
    }
}

#[test]
fn texts_for_every_run_make_no_claim_about_one_run() {
    for scenario in CATALOGUE {
        let words = &scenario.words;
        let question = words.question.text;
        for text in [words.title, question, words.hint, words.why, words.unsolved] {
            let lower = text.to_lowercase();
            let words: Vec<_> = lower.split(|sign: char| !sign.is_alphabetic()).collect();
            for run in [
                &["reliable", "client"][..],
                &["naive", "client"],
                &["the", "client"],
                &["this", "client"],
                &["every", "attempt"],
                &["this", "time"],
                &["the", "lab"],
            ] {
                let speaks = words.windows(run.len()).any(|part| part == run);
                assert!(!speaks, "{}: {text}", scenario.words.name);
            }
        }
    }
}

/// With other settings the sentence about the reliable client could be false. The naive client
/// has no settings.
#[test]
fn a_client_has_its_sentence_under_the_settings_of_the_scenario_only() {
    for tried in PAIRWISE_RUNS.iter() {
        let (words, run) = (&tried.scenario.words, &tried.run);
        let its_own = run.policy == tried.scenario.policy_with(&Overrides::default());
        let expected = match run.client {
            NAIVE => vec![words.why, words.naive],
            _ if its_own => vec![words.why, words.reliable],
            _ => vec![words.why],
        };

        assert_eq!(run.lesson.why, expected, "{:?}", tried.overrides);
    }
}

/// A run with other settings has no sentence about its client.
#[test]
fn a_suggested_setting_says_what_it_shows() {
    for tried in PAIRWISE_RUNS.iter() {
        let lesson = &tried.run.lesson;
        let (_, asked) = asked_for(lesson.next.trim_end_matches(" --compare"));

        assert_eq!(
            lesson.next_shows.is_some(),
            asked != Overrides::default(),
            "{}",
            lesson.next
        );
    }
    let with_a_setting = CATALOGUE
        .iter()
        .filter(|scenario| scenario.variation.is_some());
    assert_eq!(with_a_setting.count(), 10);
}

#[test]
fn the_suggested_command_is_valid_and_new() {
    for tried in PAIRWISE_RUNS.iter() {
        let (name, next) = (tried.scenario.name(), &tried.run.lesson.next);

        let words = ["lab"].into_iter().chain(next.split(' '));
        assert_eq!(lab::cli::check(words), Ok(()), "{next}");
        if tried.run.client == NAIVE {
            assert_eq!(*next, format!("scenario {name} --compare"));
        } else if next != "scenario all" {
            let (suggested, asked) = asked_for(next);
            let given = tried.run.policy;
            let is_new = suggested != name || given.with(&asked) != given;
            assert!(is_new, "{next} after {name} with {given:?}");
        }
    }
}

/// A suggested command without a client.
#[derive(Parser)]
struct Suggested {
    name: String,
    #[command(flatten)]
    overrides: Overrides,
    #[arg(long)]
    pace: Option<String>,
}

/// The scenario and the settings of a suggested command.
fn asked_for(command: &str) -> (String, Overrides) {
    let asked = Suggested::try_parse_from(command.split(' ')).expect(command);
    (asked.name, asked.overrides)
}

/// A reader who types each suggested command goes through the whole course to its end.
#[tokio::test]
async fn suggestions_lead_through_the_whole_course_in_order() {
    let mut command = format!("scenario {}", CATALOGUE[0].name());
    let (mut typed, mut met) = (HashSet::new(), Vec::new());
    while command != "scenario all" {
        assert!(typed.insert(command.clone()), "a circle: {command}");
        let (name, asked) = asked_for(&command);
        let scenario = catalogue::find(&name).expect("a scenario of the catalogue");

        let run = run(scenario, &settings(RELIABLE, asked))
            .await
            .expect("a run");

        assert!(run.passed(), "{}", render::json(&run));
        if met.last() != Some(&scenario.name()) {
            met.push(scenario.name());
        }
        command = run.lesson.next;
    }

    let course: Vec<_> = CATALOGUE.iter().map(Scenario::name).collect();
    assert_eq!(met, course);
}

#[test]
fn suggestions_of_comparisons_lead_through_the_course() {
    for pair in CATALOGUE.windows(2) {
        let next = pair[0].next_comparison(NAIVE);

        assert_eq!(next, format!("scenario {} --compare", pair[1].name()));
    }
    let last = CATALOGUE.last().expect("a scenario");
    assert_eq!(last.next_comparison(NAIVE), "scenario all");
}

/// A text without its line breaks and its markup.
pub(crate) fn flat(text: &str) -> String {
    let text = text
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&gt;", ">");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The three texts of a lesson.
fn sentences(scenario: &Scenario) -> [&'static str; 3] {
    let words = &scenario.words;
    [words.why, words.reliable, words.naive]
}

/// Runs that teach the same are shown alike, so one of them is looked at.
#[test]
fn text_json_and_report_show_the_lesson_of_the_run_only() {
    let mut lessons = HashSet::new();
    for tried in PAIRWISE_RUNS.iter() {
        let (scenario, run) = (tried.scenario, &tried.run);
        let json: serde_json::Value = serde_json::from_str(&render::json(run)).expect("JSON");
        if !lessons.insert((scenario.name(), json["lesson"].to_string())) {
            continue;
        }
        let text = flat(&text(&scenario.words, run));
        let report = flat(&report(&scenario.words, run));

        let why = &run.lesson.why;
        assert_eq!(json["lesson"]["why"], serde_json::json!(why));
        for shown in [&text, &report] {
            for sentence in sentences(scenario) {
                let is_of_it = why.contains(&sentence);
                assert_eq!(shown.contains(sentence), is_of_it, "{sentence}: {shown}");
            }
            assert!(shown.contains(run.lesson.unsolved), "{shown}");
            assert!(shown.contains(&run.lesson.next), "{shown}");
            assert!(
                shown.contains(run.lesson.next_shows.unwrap_or_default()),
                "{shown}"
            );
        }
    }
}

#[test]
fn a_comparison_shows_the_lessons_of_both_runs_and_a_suggestion() {
    for scenario in CATALOGUE {
        let of = |client| PairwiseRun::of(scenario.name(), client).run.clone();
        let runs = [of(RELIABLE), of(NAIVE)];
        let comparison = Comparison::of(runs, scenario.next_comparison(NAIVE));

        let text = flat(&text_of(scenario, &comparison));

        for sentence in sentences(scenario) {
            assert!(text.contains(sentence), "{sentence}: {text}");
        }
        assert!(text.contains(scenario.words.unsolved), "{text}");
        let (_, next) = text.split_once("Try next ").expect("a next step");
        let words = next
            .strip_prefix("cargo run -p lab -- ")
            .expect("a command");
        let words = ["lab"].into_iter().chain(words.split(' '));
        assert_eq!(lab::cli::check(words), Ok(()), "{next}");
        assert!(
            !next.contains(&format!("scenario {} ", scenario.words.name)),
            "{next}"
        );
    }
}

#[test]
fn the_retry_budget_lesson_counts_the_calls_that_pay_for_a_retry() {
    let PairwiseRun { scenario, run, .. } = PairwiseRun::of("retry-budget", RELIABLE);

    let text = flat(&text(&scenario.words, run));
    let stocks = text.split("no retry: ").filter_map(|rest| {
        let (tokens, _) = rest.split_once(" tokens")?;
        tokens.parse::<f64>().ok()
    });
    let tokens = stocks.last().expect("a stock of tokens");
    let missing = 1.0 - tokens;
    let calls = (missing * 10.0).round();
    assert_eq!(calls, 6.0, "each first attempt deposits a tenth of a token");
    let lesson = format!("The budget holds {tokens} tokens now: six further calls would pay");
    assert!(run.lesson.why.join(" ").contains(&lesson), "{lesson}");
}
