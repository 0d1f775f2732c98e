//! What the command logs, whatever `RUST_LOG` asks for.

use crate::{Ended, command};

fn flaky(rust_log: &str) -> Ended {
    let output = command("scenario flaky --pace virtual --seed 7")
        .env("RUST_LOG", rust_log)
        .output();
    let ended = Ended::from(output.expect("lab runs"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

/// Whether a line is of this target, which stands between colons behind the
/// spans.
fn is_of(line: &str, target: &str) -> bool {
    line.contains(&format!(": {target}: "))
}

#[test]
fn nothing_but_our_own_spans_is_logged_whatever_is_asked_for() {
    let others = "hyper=trace,hyper_util=trace,reqwest=trace,axum=trace,h2=trace,rustls=trace";
    for directives in ["trace", &format!("{others},client=trace,server=trace")] {
        let log = flaky(directives).stderr;

        for line in log.lines() {
            let ours = ["client", "lab", "server"].iter().any(|it| is_of(line, it));
            assert!(ours && line.contains(" INFO "), "{line}");
        }
        let count = |what: &str| log.lines().filter(|line| line.contains(what)).count();
        assert_eq!(count(" client: close"), 1 + 3 + 2, "{log}");
        assert_eq!(count(" server: close"), 3, "{log}");
    }
    assert_eq!(flaky(others).stderr, "");
}

#[test]
fn logging_changes_nothing_in_the_run() {
    let (silent, loud) = (flaky(""), flaky("trace"));

    assert_eq!(silent.stderr, "");
    assert_ne!(loud.stderr, "");
    assert_eq!(loud.stdout, silent.stdout);
}

#[test]
fn directives_that_cannot_be_read_cost_one_line_and_no_scenario() {
    let warning = flaky("client=loud").stderr;

    let start = "warning: RUST_LOG is ignored, since \"client=loud\" cannot be read: ";
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert!(warning.starts_with(start), "{warning}");
}
