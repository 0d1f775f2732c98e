//! Prometheus's own check of its configuration and of the rules.

use std::process::Command;

use crate::{
    files,
    rules::{CASES, RULES},
};

#[test]
#[ignore = "needs promtool"]
fn promtool_accepts_the_configuration_the_rules_and_their_cases() {
    let configuration = vec!["dashboards/prometheus/prometheus.yml".to_owned()];
    for (arguments, files, found) in [
        (
            &["check", "config", "--lint=all"][..],
            configuration,
            "2 rule files found",
        ),
        (
            &["check", "rules", "--lint=all"],
            files::folder(RULES, ".yml"),
            "SUCCESS",
        ),
        (&["test", "rules"], files::folder(CASES, ".yml"), "SUCCESS"),
    ] {
        let mut command = Command::new("promtool");
        command
            .args(arguments)
            .args(files)
            .current_dir(files::root());

        let output = command.output().expect("promtool is installed");

        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success() && said.contains(found), "{said}");
        for word in ["WARNING", "FAILED", "duplicate"] {
            assert!(!said.contains(word), "{said}");
        }
    }
}
