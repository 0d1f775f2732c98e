//! The lesson about a run must agree with the wire.

use std::{collections::HashSet, time::Duration};

use scenario::{
    Comparison, Ending, NAIVE, Overrides, RELIABLE,
    catalogue::{self, CATALOGUE, Scenario},
    run,
};

use crate::{
    comparison::text_of,
    pairwise_runs::{PAIRWISE_RUNS, PairwiseRun},
    report, settings, text,
};

#[test]
fn every_sentence_about_a_run_names_its_client_and_a_condition() {
    for scenario in CATALOGUE {
        for sentence in scenario.words.lessons {
            let text = sentence.text;
            let Some(client) = sentence.client else {
                continue;
            };
            let name = format!("{} client", client.name);
            assert!(text.contains(&name), "{}: {text}", scenario.words.name);
            assert!(!sentence.conditions.is_empty(), "{text}");
        }
    }
}

#[test]
fn texts_for_every_run_make_no_claim_about_one_run() {
    for scenario in CATALOGUE {
        let general = scenario
            .words
            .lessons
            .iter()
            .filter(|lesson| lesson.client.is_none());
        let texts = general.map(|sentence| sentence.text).chain([
            scenario.words.title,
            scenario.words.question.text,
            scenario.words.hint,
            scenario.words.unsolved,
        ]);
        for text in texts {
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

#[test]
fn every_run_has_a_sentence_and_every_sentence_a_run() {
    let mut said = HashSet::new();
    for tried in PAIRWISE_RUNS.iter() {
        let why = &tried.run.lesson.why;
        let sentences = tried.scenario.words.lessons.iter();
        let shown: Vec<_> = sentences
            .filter(|sentence| why.contains(&sentence.text))
            .collect();

        assert!(
            shown
                .iter()
                .any(|sentence| sentence.client == Some(tried.run.client)),
            "{} by the {:?} client with {:?}: {why:?}",
            tried.scenario.words.name,
            tried.run.client,
            tried.overrides,
        );
        assert!(
            shown.iter().any(|sentence| sentence.client.is_none()),
            "{why:?}"
        );
        said.extend(
            shown
                .iter()
                .map(|sentence| (tried.scenario.words.name, sentence.text)),
        );
    }

    for scenario in CATALOGUE {
        for sentence in scenario.words.lessons {
            assert!(
                said.contains(&(scenario.words.name, sentence.text)),
                "{} never says: {}",
                scenario.words.name,
                sentence.text
            );
        }
    }
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

/// The scenario and the settings of a suggested command.
fn asked_for(command: &str) -> (&str, Overrides) {
    let mut words = command.split(' ').skip(1);
    let name = words.next().expect("the name of a scenario");
    let mut asked = Overrides::NONE;
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        let number = || value.parse().expect("a number");
        match option {
            "--max-attempts" => asked.max_attempts = Some(number()),
            "--max-pages" => asked.max_pages = Some(number()),
            "--max-items" => asked.max_items = Some(number()),
            "--max-retry-after" => {
                asked.max_retry_after = Some(Duration::from_secs(number().into()));
            }
            _ => assert_eq!((option, value), ("--pace", "virtual")),
        }
    }
    (name, asked)
}

/// A reader who types each suggested command goes through the whole course to its end.
#[tokio::test]
async fn suggestions_lead_through_the_whole_course_in_order() {
    let mut command = format!("scenario {}", CATALOGUE[0].name());
    let (mut typed, mut met) = (HashSet::new(), Vec::new());
    while command != "scenario all" {
        assert!(typed.insert(command.clone()), "a circle: {command}");
        let (name, asked) = asked_for(&command);
        let scenario = catalogue::find(name).expect("a scenario of the catalogue");

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

#[test]
fn a_patient_caller_is_not_said_to_stop_at_once() {
    let patient = Some(Duration::from_secs(120));

    let run = &PairwiseRun::with_max_retry_after("retry-later", RELIABLE, patient).run;

    let arrivals = run.wire.entries.iter().map(|entry| entry.arrived);
    assert!(arrivals.eq([0, 120, 240].map(Duration::from_secs)));
    assert_eq!(run.outcome.ending, Ending::HttpError);
    let why = run.lesson.why.join(" ");
    assert!(why.contains("waited in full before each retry"), "{why}");
    assert!(!why.contains("at once"), "{why}");
    assert_eq!(run.lesson.next, "scenario bad-json");
}

/// A text without its line breaks and its markup.
fn flat(text: &str) -> String {
    let text = text.replace("&quot;", "\"").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn text_json_and_report_show_the_chosen_sentences_only() {
    for tried in PAIRWISE_RUNS.iter() {
        let (scenario, run) = (tried.scenario, &tried.run);
        let text = flat(&text(&scenario.words, run));
        let report = flat(&report(&scenario.words, run));
        let json: serde_json::Value = serde_json::from_str(&render::json(run)).expect("JSON");

        let why = &tried.run.lesson.why;
        assert_eq!(json["lesson"]["why"], serde_json::json!(why));
        for shown in [&text, &report] {
            for sentence in scenario.words.lessons {
                let sentence = sentence.text;
                let chosen = why.contains(&sentence);
                assert_eq!(shown.contains(sentence), chosen, "{sentence}: {shown}");
            }
            assert!(shown.contains(run.lesson.unsolved), "{shown}");
            assert!(shown.contains(&run.lesson.next), "{shown}");
        }
    }
}

#[test]
fn a_comparison_shows_the_lessons_of_both_runs_and_a_suggestion() {
    for scenario in CATALOGUE {
        let of = |client| PairwiseRun::of(scenario.name(), client).run.clone();
        let runs = [of(RELIABLE), of(NAIVE)];
        let comparison = Comparison::of(runs, None, scenario.next_comparison(NAIVE));

        let text = flat(&text_of(scenario, &comparison));

        for sentence in scenario.words.lessons {
            let shown = comparison
                .runs
                .iter()
                .any(|run| run.lesson.why.contains(&sentence.text));
            let sentence = sentence.text;
            assert_eq!(text.contains(sentence), shown, "{sentence}: {text}");
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
    let stocks = text.split("retry budget ").filter_map(|rest| {
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
