//! What Prometheus's own tool says of its configuration and of the rules.

use std::process::Command;

use crate::files;

/// Runs `promtool` in the root, and fails with what it said if it complains.
fn promtool(arguments: &[&str], folder: Option<&str>) -> String {
    let mut command = Command::new("promtool");
    command.args(arguments).current_dir(files::root());
    command.args(
        folder
            .map(|folder| files::folder(folder, ".yml"))
            .unwrap_or_default(),
    );

    let output = command.output().expect("promtool is installed");

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
    let said = promtool(
        &[
            "check",
            "config",
            "--lint=all",
            "dashboards/prometheus/prometheus.yml",
        ],
        None,
    );

    assert!(said.contains("2 rule files found"), "{said}");
}

#[test]
#[ignore = "needs promtool"]
fn the_rules_are_sound() {
    promtool(
        &["check", "rules", "--lint=all"],
        Some("dashboards/prometheus/rules"),
    );
}

#[test]
#[ignore = "needs promtool"]
fn the_rules_do_what_their_cases_say() {
    promtool(&["test", "rules"], Some("dashboards/prometheus/tests"));
}
