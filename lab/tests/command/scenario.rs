//! Runs and lists: the output as text and as JSON, and the exit code.

use runner::scenario::{CATALOGUE, Scenario};
use serde_json::Value;

use crate::{Ended, assert_contains, assert_fits_80_columns, command, lab, printed};

/// Runs in virtual time with one seed.
fn run_scenario(arguments: &str) -> Ended {
    lab(&format!("scenario {arguments} --pace virtual --seed 7"))
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).expect("JSON")
}

#[test]
fn lists_every_scenario_within_80_columns() {
    let list = printed("list");

    assert_eq!(list.lines().count(), CATALOGUE.len());
    assert_fits_80_columns(&list);
}

#[test]
fn the_schemas_of_a_run_and_a_card_are_printed() {
    assert_eq!(printed("schema"), render::run_schema());
    assert_eq!(printed("schema run"), render::run_schema());
    assert_eq!(printed("schema card"), render::card_schema());
}

#[test]
fn draws_plain_ascii_if_the_locale_is_not_utf8() {
    let output = command("scenario flaky --pace virtual")
        .env("LC_ALL", "C")
        .output();

    let text = Ended::from(output.expect("lab runs")).stdout;
    assert!(text.is_ascii(), "{text}");
    assert_contains(&text, &["ok   client  succeeded on attempt 3"]);
}

#[test]
fn prints_a_run_as_json() {
    let run = json(&run_scenario("flaky --json"));

    assert_eq!(run["scenario"], "flaky");
    assert_eq!(run["seed"], 7);
    assert_eq!(run["outcome"]["ending"], "ok");
    assert_eq!(run["wire"]["total"], 3);
    assert_eq!(run["verdict"][0]["held"], true);
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
                "naive_attempts_total +10   naive_retries_total +9",
                "✗ wire    no request came earlier than allowed — 9 came too early",
            ],
        ),
        // The exit code of a comparison is that of the reliable client's run.
        (
            "retry-later --compare",
            0,
            &["naive     retry-after-seconds"],
        ),
    ] {
        let ended = run_scenario(arguments);

        assert_eq!(ended.code, Some(code), "{arguments}");
        assert_contains(&ended.stdout, parts);
        assert!(!ended.stdout.contains('\u{1b}'), "a pipe gets no colour");
    }
}

#[test]
fn prints_a_comparison_as_json() {
    let comparison = json(&run_scenario("lost-response --compare --json"));

    assert_eq!(comparison["runs"][0]["client"], "reliable");
    assert_eq!(comparison["runs"][1]["client"], "naive");
    let effects = comparison["compared"]["effects"]
        .as_array()
        .expect("a list");
    let mut jobs = effects.iter().filter(|it| it["aspect"] == "jobs_created");
    let jobs = jobs.next().expect("two jobs instead of one");
    assert_eq!(jobs["sides"][0]["value"], 1);
    assert_eq!(jobs["sides"][1]["value"], 2);
    assert_eq!(jobs["differs"], true);
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

#[test]
fn a_filter_chooses_among_all() {
    let runs = json(&lab("scenario all --filter retry-after --json"));

    let runs = runs.as_array().expect("a list");
    let names: Vec<_> = runs.iter().map(|run| &run["scenario"]).collect();
    assert_eq!(
        names,
        [
            "retry-after-seconds",
            "retry-after-date",
            "retry-after-past-date",
            "retry-after-unusable",
        ]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_exits_as_an_environment_failure() {
    for arguments in [
        "--help",
        "help scenario",
        "scenario -h",
        "--version",
        "list",
        "schema",
        "completions bash",
        "scenario flaky --pace virtual",
        "scenario flaky --pace virtual --json",
        "scenario flaky --pace virtual --compare",
        "scenario all --filter flaky",
        "serve --port 0 --page-port 0",
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let full = full.expect("a device that is always full");
        let lab = command(arguments).stdout(full).spawn().expect("lab runs");

        let ended = Ended::from(lab.wait_with_output().expect("lab ends"));

        assert_eq!(ended.code, Some(3), "{arguments}: {}", ended.stderr);
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    }
}

#[test]
fn shows_a_lost_response() {
    insta::assert_snapshot!(run_scenario("lost-response").stdout, @"
    lost-response — the job is created, and its response is lost
    POST /jobs · up to 3 attempts · backoff 200 ms–5 s, full jitter
    Retry-After up to 30 s
    seed 7 · virtual time: waits are computed, not waited for

    wire      the service saw 2 requests; the client counted 2
              request 1: key 1, body 1, a job was created; 201 Created, lost on its
              way: the client got none of it
              request 2: key 1, body 1, the same job
    counters  client_attempts_total +2   client_retries_total +1
              client_give_ups_total 0   client_cursor_loops_total 0

        0 ms  ▕█▏                               attempt 1   the connection broke off
        0 ms   ─                                └ service  201
        0 ms   ▕░░░░░░░░▏·····················  wait 54 ms   backoff, at most 200 ms
       54 ms           ▕█▏                      attempt 2   201 Created

    outcome   ok, the client has its job
    ✓ client  the client has its job
    ✓ wire    the service saw exactly 2 requests
    ✓ wire    the service created one job, not two
    ✓ client  the wire and the client agree on the number of requests
    ✓ wire    no request came earlier than allowed
    ✓ wire    every attempt at a job carried the same key
    ✓ wire    no job was created twice
    ✓ wire    Content-Type and Accept named JSON

    Why it matters  From a client's side a lost response and a lost request look the
                    same, so a POST must not be repeated blindly. This request may
                    be repeated. The service recognises the key, and the reliable
                    client sent one key twice, so one job was created.
    Does not solve  A service without idempotency keys. There the caller must check
                    whether the change took effect.
    Try next        cargo run -p lab -- scenario lost-response --max-attempts 1
    ");
}
