//! Every question has an answer, and a run gives it.

use std::collections::BTreeSet;

use scenario::{Asked, Ending, NAIVE, RELIABLE, ScenarioRun, catalogue::CATALOGUE};

use crate::runs::pairwise_runs::{PAIRWISE_RUNS, PairwiseRun};

/// Whether a run got far enough to answer its question: a listing that a limit ends never
/// delivers.
fn came_far_enough(run: &ScenarioRun) -> bool {
    run.scenario != "resumed-crawl" || run.outcome.ending == Ending::Ok
}

#[test]
fn every_run_answers_its_question_with_one_answer() {
    for tried in PAIRWISE_RUNS.iter() {
        let (question, run) = (&tried.scenario.words.question, &tried.run);

        if let Asked::Choices(choices) = question.asked {
            let right: Vec<_> = choices.iter().filter(|choice| (choice.is)(run)).collect();
            assert_eq!(
                right.len(),
                1,
                "{} {:?}: {right:?}",
                run.scenario,
                tried.overrides
            );
        }
        assert_eq!(
            run.answer.is_some(),
            came_far_enough(run),
            "{}",
            run.scenario
        );
    }
}

#[test]
fn a_question_ends_with_a_question_mark_and_choices_differ() {
    for scenario in CATALOGUE {
        let question = &scenario.words.question;

        assert!(question.text.ends_with('?'), "{}", question.text);
        let mut texts: Vec<_> = question.lettered().map(|(_, choice)| choice.text).collect();
        assert_ne!(texts.len(), 1, "{}", question.text);
        texts.dedup();
        assert_eq!(texts.len(), question.lettered().count());
    }
}

/// A title stands above the question, and in lists. A word that only it and a choice have would
/// say which choice is right.
#[test]
fn no_title_has_a_word_of_a_choice_that_its_question_has_not() {
    let words = |text: &str| {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| word.len() > 3).map(str::to_lowercase);
        words.collect::<BTreeSet<_>>()
    };
    for scenario in CATALOGUE {
        let question = &scenario.words.question;
        let of_title = words(scenario.words.title);
        let of_question = words(question.text);

        for (_, choice) in question.lettered() {
            let of_choice = words(choice.text);
            let mut said = of_title.intersection(&of_choice);
            let told = said.find(|word| !of_question.contains(*word));
            assert_eq!(told, None, "{}: {}", scenario.name(), choice.text);
        }
    }
}

#[test]
fn the_answers_of_the_two_clients() {
    let of = |name, client| {
        let answer = PairwiseRun::of(name, client).run.answer.as_ref();
        answer.map_or_else(String::new, |answer| answer.text.clone())
    };
    let rows = CATALOGUE.iter().map(|scenario| {
        let [reliable, naive] = [RELIABLE, NAIVE].map(|client| of(scenario.name(), client));
        format!("{}: {reliable} | {naive}", scenario.name())
    });

    let rows: Vec<_> = rows.collect();

    insta::assert_snapshot!(rows.join("\n"), @"
    flaky: 3 requests | 3 requests
    flaky-gives-up: with the 503 | with a success
    retry-after-seconds: after two seconds | sooner than in two seconds
    retry-after-date: not before that date | before that date
    retry-after-past-date: at once | at once
    retry-after-unusable: after backoffs | at once
    retry-later: an error that says how long to wait | a request before the two minutes are over
    bad-json: 1 request | 10 requests
    text-json: an error | the records
    no-content: a success | an error
    redirect: 1 request | 2 requests
    not-found: the error code and the request id | nothing
    items: 2 requests | 2 requests
    bad-items: 0 items | 2 items
    bad-cursor: an error | one page, reported as the whole listing
    looping-items: 3 requests | 50 requests
    endless-items: a limit of pages | nothing: it must be stopped
    item-cap: 3 items | 100 items
    resumed-crawl: 4 records | 6 records
    create-job: 201 | 201
    replay: 1 job | 2 jobs
    conflict: it is refused | it creates a second job
    post-without-permission: 1 request | 2 requests
    lost-response: 1 job | 2 jobs
    read-timeout: the records, from another attempt | nothing: it must be stopped
    reset: the records, from another attempt | the records, from another attempt
    oversized-body: an error | the body
    connection-refused: 3 attempts | 10 attempts
    tls-refused: 1 attempt | 10 attempts
    deadline: an error at once | a request before the ten seconds are over
    retry-budget: 7 requests | 50 requests
    too-many-requests: 3 requests | 80 requests
    ");
}

#[test]
fn the_question_names_every_unusable_retry_after() {
    let PairwiseRun { scenario, run, .. } = PairwiseRun::of("retry-after-unusable", RELIABLE);

    let refused = run
        .wire
        .entries
        .iter()
        .filter(|entry| entry.status == Some(503));
    assert_eq!(refused.count(), 4);
    let question = scenario.words.question.text;
    assert!(question.starts_with("Four 503s "), "{question}");
    for value in ["\"-1\"", "\"1.5\"", "\"soon\"", "\"\""] {
        assert!(question.contains(value), "{value} is not in {question}");
    }
}
