//! Prometheus's own check of its configuration and of the rules.

use std::process::Command;

use crate::{
    files,
    rules::{CASES, RULES},
};

/// Runs `promtool` in the root, and fails with its output if it reports an error.
fn promtool(arguments: &[&str], files: &[String]) -> String {
    let mut command = Command::new("promtool");
    command.args(arguments).args(files);

    let output = command.current_dir(files::root()).output();

    let output = output.expect("promtool is installed");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}");
    for word in ["WARNING", "FAILED", "duplicate"] {
        assert!(!said.contains(word), "{said}");
    }
    said
}

#[test]
#[ignore = "needs promtool"]
fn the_configuration_is_sound() {
    let file = "dashboards/prometheus/prometheus.yml";

    let said = promtool(&["check", "config", "--lint=all", file], &[]);

    assert!(said.contains("2 rule files found"), "{said}");
}

#[test]
#[ignore = "needs promtool"]
fn the_rules_are_sound() {
    promtool(
        &["check", "rules", "--lint=all"],
        &files::folder(RULES, ".yml"),
    );
}

#[test]
#[ignore = "needs promtool"]
fn the_rules_pass_their_promtool_cases() {
    promtool(&["test", "rules"], &files::folder(CASES, ".yml"));
}
