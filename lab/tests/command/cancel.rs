//! Ctrl+C: the output of a run that a person cancels.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::Child,
    thread::sleep,
    time::Duration,
};

use serde_json::Value;
use testkit::process::signal;

use crate::command::{Ended, assert_contains, command};

/// Presses Ctrl+C once the command has printed a line with these words on stderr.
fn interrupted(mut lab: Child, words: &str) -> Ended {
    let mut log = BufReader::new(lab.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains(words) {
        line.clear();
        assert_ne!(log.read_line(&mut line).expect("text"), 0, "no {words}");
    }

    signal(lab.id(), "INT");
    let mut rest = String::new();
    log.read_to_string(&mut rest).expect("text");
    let ended = Ended::from(lab.wait_with_output().expect("an end"));
    assert_eq!(ended.code, Some(130), "{}{rest}", ended.stdout);
    ended
}

/// Runs against a service that asks for a wait of two minutes, and presses Ctrl+C once it
/// has done so.
fn cancelled(arguments: &str) -> Ended {
    let arguments = format!("scenario --max-retry-after 120 --pace real {arguments}");
    let lab = command(&arguments).env("RUST_LOG", "info").spawn();
    interrupted(lab.expect("lab runs"), " client: close")
}

#[test]
fn a_cancelled_run_prints_its_events_so_far() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.html");

    let ended = cancelled(&format!("retry-later --report {}", report.display()));

    let parts = [
        "attempt 1   503 Service Unavailable",
        "outcome   cancelled after 1 request",
        "wire      the service saw 1 request; the client counted 1",
        "! cancelled, so nothing is judged",
    ];
    assert_contains(&ended.stdout, &parts);
    let report = fs::read_to_string(report).expect("a report");
    assert_contains(&report, &["cancelled after 1 request"]);
}

/// The first run has as good as ended when the signal comes.
#[test]
fn ctrl_c_between_two_runs_ends_the_course() {
    let ended = cancelled("all");

    let sum = "as expected; the last was cancelled, and no other ran after it";
    assert_contains(&ended.stdout, &[sum]);
}

#[test]
fn a_cancelled_comparison_shows_the_first_run() {
    let printed = cancelled("retry-later --compare --json").stdout;

    let runs: Vec<Value> = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(runs.len(), 1, "{printed}");
    assert_eq!(runs[0]["outcome"]["ending"], "cancelled");
}

#[test]
fn a_cancelled_storm_prints_its_results_so_far() {
    // An hour of work, unless it is cancelled.
    let lab = command("storm --json --seeds 1000 --length 600").spawn();

    let ended = interrupted(lab.expect("lab runs"), "1000 seeds; Ctrl+C ends early");

    let printed: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(printed["seeds"], 0);
}

#[test]
fn a_cancelled_table_of_loads_prints_the_counts_so_far() {
    // An hour of work, unless it is cancelled.
    let lab = command("storm --loads 40,60 --seeds 25 --length 600").spawn();

    let ended = interrupted(lab.expect("lab runs"), "200 runs; Ctrl+C ends early");

    let parts = [
        "calls/s",
        "1 attempt",
        "It ended early: ",
        " of 200 runs are counted.",
    ];
    assert_contains(&ended.stdout, &parts);
}

#[test]
fn a_cancelled_grade_shows_and_writes_the_tasks_that_are_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let (junit, report) = (folder.path().join("x.xml"), folder.path().join("x.html"));
    // Done with the first task at once, and never with the second.
    let waits = folder.path().join("waits");
    let script = format!(
        r#"test $LAB_TASK = flaky && touch '{}' && sleep 60; echo '{{"records": 7}}'"#,
        waits.display()
    );
    let mut lab = command("grade --task read-all flaky --json")
        .args(["--junit".as_ref(), junit.as_os_str()])
        .args(["--report".as_ref(), report.as_os_str()])
        .args(["--", "sh", "-c", &script])
        .spawn()
        .expect("lab runs");
    while !waits.exists() {
        assert_eq!(lab.try_wait().expect("it runs"), None);
        sleep(Duration::from_millis(10));
    }

    signal(lab.id(), "INT");
    let ended = Ended::from(lab.wait_with_output().expect("an end"));

    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert_contains(&ended.stdout, &[r#""task": "read-all""#]);
    assert_contains(&ended.stderr, &["Cancelled: 1 of 2 tasks were run."]);
    for file in [&junit, &report] {
        let text = fs::read_to_string(file).expect("written");
        assert!(
            text.contains("read-all") && !text.contains("flaky\""),
            "{text}"
        );
    }
}
