//! Runs and lists: the output as text and as JSON, and the exit code.

use scenario::catalogue::{CATALOGUE, Scenario};
use serde_json::Value;

use crate::command::{
    Ended, assert_contains, assert_fits_80_columns, command, lab, lab_reading, printed,
};

/// Runs in virtual time with one seed.
fn run_scenario(arguments: &str) -> Ended {
    lab(&format!("scenario {arguments} --pace virtual --seed 7"))
}

#[test]
fn without_a_name_the_scenarios_are_listed() {
    assert_eq!(printed("scenario"), printed("list"));
}

#[test]
fn a_list_has_the_columns_and_the_letters_that_the_environment_asks_for() {
    let mut lab = command("list stories");

    let list = Ended::of(lab.env("COLUMNS", "40").env("LC_ALL", "C")).stdout;

    assert!(list.is_ascii(), "{list}");
    assert!(list.lines().all(|line| line.len() <= 40), "{list}");
}

/// The exit code of a comparison is that of the reliable client's run.
#[test]
fn a_comparison_is_printed_as_json() {
    let ended = run_scenario("retry-later --compare --json");

    let comparison: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let [reliable, naive] = [&comparison["runs"][0], &comparison["runs"][1]];
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(reliable["scenario"], "retry-later");
    assert_eq!(reliable["seed"], 7);
    assert_eq!(
        [&reliable["client"], &naive["client"]],
        ["reliable", "naive"]
    );
}

#[test]
fn a_run_that_misses_an_expectation_ends_with_1() {
    let ended = run_scenario("retry-later --client naive");

    assert_eq!(ended.code, Some(1));
    let parts = [
        "a typical first client: up to 10 attempts, no waits",
        "client_attempts_total +10   client_retries_total +9",
        "✗ wire    no request came earlier than allowed — 9 came too early",
    ];
    assert_contains(&ended.stdout, &parts);
    let is_coloured = ended.stdout.contains('\u{1b}');
    assert!(!is_coloured, "a pipe gets no colour");
}

#[test]
fn the_course_is_summed_up_with_the_score() {
    // `flaky` and `flaky-gives-up` are asked first; the others get no prediction.
    let Ended { stdout, stderr, .. } = lab_reading("scenario all --ask --seed 7", b"3\na\n\n");

    assert_contains(&stderr, &["flaky: 3 requests, correct."]);
    assert_contains(&stdout, &["1 of 2 predictions came true\n"]);
    let number = CATALOGUE.len();
    let sum = format!("{number} scenarios run with seed 7, {number} as expected");
    assert_contains(&stdout, &[&sum]);
    assert_contains(
        &stdout,
        &CATALOGUE.iter().map(Scenario::name).collect::<Vec<_>>(),
    );
    assert_fits_80_columns(&stdout);
}
