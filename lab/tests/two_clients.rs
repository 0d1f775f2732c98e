//! `--client` and `--compare` as a reader uses them: the real binary, its
//! output and its exit codes.

use std::process::{Command, Output};

use serde_json::Value;

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments)
        .args(["--pace", "virtual", "--seed", "7"])
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("lab runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a_naive_run_that_breaks_an_expectation_exits_with_1() {
    let output = lab(&["scenario", "retry-later", "--client", "naive"]);

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "what people first write: up to 10 attempts, no waits",
        "naive_attempts_total +10   naive_retries_total +9",
        "✗ wire    no request came earlier than allowed — 9 came too early",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

#[test]
fn a_naive_run_that_breaks_none_exits_with_0() {
    let output = lab(&["scenario", "items", "--client", "naive"]);

    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn a_comparison_exits_as_the_reliable_client_does() {
    let output = lab(&["scenario", "retry-later", "--compare"]);

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("✗ the naive client"), "{text}");
    assert!(!text.contains('\u{1b}'), "a pipe gets no colour");
}

#[test]
fn a_comparison_is_printed_as_json() {
    let output = lab(&["scenario", "lost-response", "--compare", "--json"]);

    let comparison: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(comparison["reliable"]["client"], "reliable");
    assert_eq!(comparison["naive"]["client"], "naive");
    let differences = comparison["differences"].as_array().expect("a list");
    let jobs = differences
        .iter()
        .find(|difference| difference["aspect"] == "jobs_created")
        .expect("two jobs in place of one");
    assert_eq!((&jobs["reliable"], &jobs["naive"]), (&1.into(), &2.into()));
}

#[test]
fn the_help_says_what_becomes_of_the_exit_code() {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["scenario", "--help"])
        .output()
        .expect("lab runs");

    let help = text(&output.stdout);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "the exit code is then 1",
        "the exit code is the reliable client's",
    ] {
        assert!(help.contains(part), "{part:?} is missing in\n{help}");
    }
}

#[test]
fn what_cannot_be_compared_is_a_usage_error() {
    for arguments in [
        ["scenario", "all", "--compare"].as_slice(),
        &["scenario", "flaky", "--compare", "--client", "naive"],
    ] {
        let output = lab(arguments);

        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("--compare"), "{arguments:?}");
    }
}
