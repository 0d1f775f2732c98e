//! The log output of the command, as `RUST_LOG` asks for it.

use crate::command::{Ended, command};

fn flaky(rust_log: &str) -> Ended {
    let mut lab = command("scenario flaky --pace virtual --seed 7");
    let ended = Ended::of(lab.env("RUST_LOG", rust_log));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

/// Whether a line has this target, which is between colons after the spans.
fn is_of(line: &str, target: &str) -> bool {
    line.contains(&format!(": {target}: "))
}

/// Directives that cannot be read cause a warning, and the scenario runs without a log.
#[test]
fn only_the_labs_own_spans_are_logged_and_the_run_stays_the_same() {
    let (invalid, loud) = (
        flaky("client=loud"),
        flaky("trace,hyper=trace,reqwest=trace"),
    );

    let warning = invalid.stderr;
    let start = "warning: RUST_LOG is ignored, since \"client=loud\" cannot be read: ";
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert!(warning.starts_with(start), "{warning}");
    assert_eq!(loud.stdout, invalid.stdout);
    let log = loud.stderr;
    for line in log.lines() {
        let ours = ["client", "lab", "server"]
            .iter()
            .any(|target| is_of(line, target));
        assert!(ours, "{line}");
    }
    let count = |what: &str| log.lines().filter(|line| line.contains(what)).count();
    assert_eq!(count(" WARN "), 2, "the retries: {log}");
    assert_eq!(count(" INFO "), log.lines().count() - 2, "the spans: {log}");
    assert_eq!(count(" client: close"), 1 + 3 + 2, "{log}");
    assert_eq!(count(" server: close"), 3, "{log}");
}
