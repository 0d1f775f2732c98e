//! The command `lab` as a reader uses it: the real binary, its output and its
//! exit codes.

use std::process::{Command, Output};

use serde_json::Value;

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("lab runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn lists_every_scenario_within_80_columns() {
    let output = lab(&["list"]);

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text.lines().count(), runner::scenario::CATALOGUE.len());
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn plays_flaky_and_tells_the_story() {
    let output = lab(&["scenario", "flaky", "--pace", "virtual", "--seed", "7"]);

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for part in [
        "flaky — the service fails twice, then answers",
        "attempt 3   200 OK",
        "outcome   ok, attempt = 3",
        "wire      the service saw 3 requests; the client counted 3",
        "client_attempts_total +3   client_retries_total +2",
        "✓ client  answered with attempt 3",
        "cargo run -p lab -- scenario flaky --max-attempts 2",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "a pipe gets no colour");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(output.stderr.is_empty());
}

#[test]
fn draws_plain_ascii_if_the_locale_is_not_utf8() {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["scenario", "flaky", "--pace", "virtual"])
        .env("LC_ALL", "C")
        .output()
        .expect("lab runs");

    let text = text(&output.stdout);
    assert!(text.is_ascii(), "{text}");
    assert!(
        text.contains("ok   client  answered with attempt 3"),
        "{text}"
    );
}

#[test]
fn prints_a_run_as_json() {
    let arguments = [
        "scenario", "flaky", "--pace", "virtual", "--seed", "7", "--json",
    ];

    let output = lab(&arguments);

    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(run["scenario"], "flaky");
    assert_eq!(run["seed"], 7);
    assert_eq!(run["outcome"]["ending"], "ok");
    assert_eq!(run["ledger"]["total"], 3);
    assert!(run["verdict"][0]["held"].as_bool().expect("a flag"));
}

#[test]
fn prints_the_schema_of_a_run() {
    let output = lab(&["schema"]);

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), render::run_schema());
}

#[test]
fn an_unknown_scenario_is_a_usage_error_with_the_nearest_name() {
    let output = lab(&["scenario", "flakey"]);

    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert_eq!(
        text(&output.stderr),
        "error: no scenario is called 'flakey'; did you mean 'flaky'?\n"
    );
}

#[test]
fn what_is_no_positive_integer_is_named_and_refused() {
    for (value, got) in [
        ("0", "zero"),
        ("-3", "the negative number -3"),
        ("2.5", "the float 2.5"),
        ("true", "the boolean true"),
        ("many", "something that is no number"),
    ] {
        for (option, field) in [
            ("--max-attempts", "max_attempts"),
            ("--max-pages", "max_pages"),
            ("--max-items", "max_items"),
        ] {
            let output = lab(&["scenario", "items", option, value]);

            let expected = format!("{field} must be a positive integer, got {got}");
            let text = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{option} {value}");
            assert!(
                text.contains(&expected),
                "{expected:?} is missing in\n{text}"
            );
        }
    }
}

#[test]
fn a_number_that_would_keep_a_run_going_for_ever_is_named_and_refused() {
    for (option, setting) in [
        ("--max-attempts", "max_attempts"),
        ("--max-pages", "max_pages"),
        ("--max-items", "max_items"),
    ] {
        for value in ["10001", "4294967295"] {
            let output = lab(&["scenario", "endless-items", option, value]);

            let expected = format!("{setting} must be at most 10000, got {value}");
            let text = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{option} {value}");
            assert!(
                text.contains(&expected),
                "{expected:?} is missing in\n{text}"
            );
        }
    }
}

#[test]
fn no_number_is_written_with_a_sign() {
    for (arguments, what) in [
        (&["scenario", "flaky", "--seed"][..], "seed"),
        (&["scenario", "flaky", "--max-attempts"], "max-attempts"),
        (
            &["scenario", "flaky", "--max-retry-after"],
            "max-retry-after",
        ),
        (&["scenario", "items", "--max-pages"], "max-pages"),
        (&["scenario", "items", "--max-items"], "max-items"),
        (&["load", "--seconds"], "seconds"),
        (&["load", "--rate"], "rate"),
        (&["load", "--seed"], "seed"),
        (&["serve", "--port"], "port"),
        (&["serve", "--page-port"], "page-port"),
        (&["doctor", "--port"], "port"),
        (&["doctor", "--page-port"], "page-port"),
    ] {
        let plus = lab(&[arguments, &["+1"]].concat());
        let minus = lab(&[arguments, &["-1"]].concat());

        let (plus, minus) = (&plus, &minus);
        assert_eq!(plus.status.code(), Some(2), "{arguments:?}");
        assert_eq!(minus.status.code(), Some(2), "{arguments:?}");
        let said = text(&plus.stderr);
        let start = format!("error: invalid value '+1' for '--{what} <");
        assert!(said.starts_with(&start), "{said}");
        assert!(said.contains(">': write it without a sign\n"), "{said}");
        let said = text(&minus.stderr);
        let start = format!("error: invalid value '-1' for '--{what} <");
        assert!(said.starts_with(&start), "{said}");
    }
}

#[test]
fn a_number_outside_its_range_is_told_the_range() {
    for (arguments, range) in [
        (
            &["scenario", "flaky", "--seed", "many"][..],
            "0 to 18446744073709551615",
        ),
        (
            &["scenario", "flaky", "--max-retry-after", "86401"],
            "0 to 86400",
        ),
        (&["serve", "--port", "65536"], "0 to 65535"),
        (&["doctor", "--port", "0"], "1 to 65535"),
        (&["load", "--seed", ""], "0 to 18446744073709551615"),
    ] {
        let output = lab(arguments);

        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let range = format!("it must be a whole number from {range}\n");
        assert!(said.contains(&range), "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_nobody_can_get_is_an_environment_that_failed() {
    for arguments in [
        &["--help"][..],
        &["help", "scenario"],
        &["scenario", "-h"],
        &["--version"],
        &["list"],
        &["schema"],
        &["completions", "bash"],
        &["scenario", "flaky", "--pace", "virtual"],
        &["scenario", "flaky", "--pace", "virtual", "--json"],
        &["scenario", "flaky", "--pace", "virtual", "--compare"],
        &["scenario", "all", "--filter", "flaky"],
        &["serve", "--port", "0", "--page-port", "0"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .stdout(full.expect("a device that is always full"))
            .stderr(std::process::Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .expect("lab runs");

        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {said}");
        assert!(said.starts_with("error: "), "{arguments:?}: {said}");
    }
}

#[test]
fn no_subcommand_is_a_usage_error_that_says_where_to_start() {
    let output = lab(&[]);

    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("lab scenario flaky"));
}

#[test]
fn plays_all_scenarios_and_sums_them_up() {
    let output = lab(&["scenario", "all", "--seed", "7"]);

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let number = runner::scenario::CATALOGUE.len();
    let sum = format!("{number} played with seed 7, {number} as expected");
    assert!(text.contains(&sum), "{text}");
    for scenario in runner::scenario::CATALOGUE {
        assert!(
            text.contains(scenario.words.name),
            "{} is missing",
            scenario.words.name
        );
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_filter_chooses_among_all() {
    let output = lab(&["scenario", "all", "--filter", "retry-after", "--json"]);

    let runs: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let names: Vec<_> = runs.iter().map(|run| run["scenario"].as_str()).collect();
    assert_eq!(
        names,
        [
            Some("retry-after-seconds"),
            Some("retry-after-date"),
            Some("retry-after-past-date"),
            Some("retry-after-unusable"),
        ]
    );
}

#[test]
fn a_filter_that_chooses_nothing_or_goes_with_one_is_a_usage_error() {
    for (arguments, why) in [
        (
            ["scenario", "all", "--filter", "xyzzy"],
            "error: no scenario's name contains 'xyzzy'; `lab list` shows them all\n",
        ),
        (
            ["scenario", "flaky", "--filter", "f"],
            "error: --filter goes with `lab scenario all`\n",
        ),
    ] {
        let output = lab(&arguments);

        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stderr), why);
    }
}
