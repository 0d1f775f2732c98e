//! A lab that runs out of descriptors ends with exit code 3 and a cause, and gives no verdict.
#![cfg(unix)]

use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::tempdir;

use crate::{
    Ended, command,
    proxy::{CALM, api},
};

/// The command as a shell runs it with this limit.
fn limited(limit: &str, arguments: &str, client: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("ulimit {limit}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_lab"))
        .args(arguments.split_whitespace())
        .args(client);
    shell
}

#[test]
fn too_few_descriptors_are_no_verdict_on_a_client() {
    let upstream = api();
    let proxy = format!("proxy {upstream} --set API_URL --fault refused --confirm 2 --");
    let grade = "grade --task no-body --only no-redirect --";
    for (arguments, client, range) in [
        ("scenario items", &[][..], 4..=28),
        (grade, &["true"], 4..=26),
        (&*proxy, &["sh", "-c", CALM], 4..=18),
    ] {
        for descriptors in range {
            let limit = format!("-n {descriptors}");
            let begun = Instant::now();

            let ended = Ended::of(&mut limited(&limit, arguments, client));

            let story = format!("{limit} {arguments}: {ended:?}");
            assert!(begun.elapsed() < Duration::from_secs(60), "{story}");
            // With the most of them, the command does what it does without a limit.
            let is_enough = descriptors > 16 && ended.code == Some(0);
            let is_limited = ended.code == Some(3) && ended.stderr.contains("open");
            assert!(is_enough || is_limited, "{story}");
        }
    }
}

#[test]
fn a_report_can_be_read_from_a_pipe() {
    let folder = tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let reads = Command::new("cat")
        .arg(&pipe)
        .stdout(Stdio::piped())
        .spawn();

    let arguments = format!("scenario items --report {}", pipe.display());
    let written = Ended::of(&mut command(&arguments));

    let report = reads.expect("cat runs").wait_with_output();
    let report = report.expect("cat ends");
    assert_eq!(written.code, Some(0), "{written:?}");
    assert!(report.stdout.starts_with(b"<!DOCTYPE html>"));
    assert!(fs::metadata(&pipe).is_ok(), "it is still there");
}
