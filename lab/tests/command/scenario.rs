//! Runs and lists: the output as text and as JSON, and the exit code.

use scenario::catalogue::{CATALOGUE, Scenario};
use serde_json::Value;

use crate::command::{Ended, assert_contains, assert_fits_80_columns, command, lab, printed};

/// Runs in virtual time with one seed.
fn run_scenario(arguments: &str) -> Ended {
    lab(&format!("scenario {arguments} --pace virtual --seed 7"))
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).expect("JSON")
}

#[test]
fn every_list_fits_80_columns() {
    for listed in ["scenarios", "tasks", "rules", "stories"] {
        assert_fits_80_columns(&printed(&format!("list {listed}")));
    }
    let scenarios = printed("list");
    assert_eq!(scenarios.lines().count(), CATALOGUE.len());
    assert_eq!(printed("scenario"), scenarios);
}

#[test]
fn a_list_fits_the_columns_that_the_environment_asks_for() {
    let widest = |columns: &str| {
        let list = Ended::of(command("list stories").env("COLUMNS", columns)).stdout;
        let widths = list.lines().map(|line| line.chars().count());
        widths.max().expect("a story")
    };

    assert!(widest("40") <= 40);
    assert_eq!(widest("wide"), widest("80"));
}

#[test]
fn draws_plain_ascii_if_the_locale_is_not_utf8() {
    let text = Ended::of(command("scenario flaky --pace virtual").env("LC_ALL", "C")).stdout;

    assert!(text.is_ascii(), "{text}");
    assert_contains(&text, &["ok   client  succeeded on attempt 3"]);
}

#[test]
fn a_run_and_a_comparison_are_printed_as_json() {
    let run = json(&run_scenario("flaky --json"));
    let comparison = json(&run_scenario("flaky --compare --json"));

    assert_eq!(
        (&run["scenario"], &run["seed"]),
        (&"flaky".into(), &7.into())
    );
    assert_eq!(run["client"], "reliable");
    assert_eq!(comparison["runs"][0], run);
    assert_eq!(comparison["runs"][1]["client"], "naive");
}

#[test]
fn the_exit_code_says_whether_the_expectations_of_the_client_held() {
    for (arguments, code, parts) in [
        ("items --client naive", 0, &["✓"][..]),
        (
            "retry-later --client naive",
            1,
            &[
                "a typical first client: up to 10 attempts, no waits",
                "client_attempts_total +10   client_retries_total +9",
                "✗ wire    no request came earlier than allowed — 9 came too early",
            ],
        ),
        // The exit code of a comparison is that of the reliable client's run.
        (
            "retry-later --compare",
            0,
            &["· ✗  wire    no request came earlier than allowed — naive: 9 came too early"],
        ),
    ] {
        let ended = run_scenario(arguments);

        assert_eq!(ended.code, Some(code), "{arguments}");
        assert_contains(&ended.stdout, parts);
        assert!(!ended.stdout.contains('\u{1b}'), "a pipe gets no colour");
    }
}

#[test]
fn runs_all_scenarios_and_sums_them_up() {
    let text = printed("scenario all --seed 7");

    let number = CATALOGUE.len();
    let sum = format!("{number} scenarios run with seed 7, {number} as expected");
    assert_contains(&text, &[&sum]);
    assert_contains(
        &text,
        &CATALOGUE.iter().map(Scenario::name).collect::<Vec<_>>(),
    );
    assert_fits_80_columns(&text);
}
