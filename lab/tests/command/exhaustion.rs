//! A lab that runs out of descriptors, threads, memory or disk ends with exit code 3 and a
//! cause, and gives no verdict.
#![cfg(unix)]

use std::{
    fs::{self, File},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::tempdir;

use crate::command::{
    Ended, command,
    proxy::{CALM, api},
};

/// The command as a shell runs it with this limit. The signal for a file that is too large
/// would end it before it could say why.
fn limited(limit: &str, arguments: &str, client: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args([
            "-c",
            &format!("trap '' XFSZ; ulimit {limit}; exec \"$0\" \"$@\""),
        ])
        .arg(env!("CARGO_BIN_EXE_lab"))
        .args(arguments.split_whitespace())
        .args(client);
    shell
}

#[test]
fn too_few_descriptors_are_no_verdict_on_a_client() {
    let upstream = api();
    let proxy = format!("proxy {upstream} --set API_URL --fault refused --");
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
            let is_limited = ended.code == Some(3) && ended.stderr.contains("open");
            assert!(is_limited, "{story}");
            assert_praises_nobody(&ended, &story);
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

    let mut reads = reads.expect("cat runs");
    if written.code != Some(0) {
        // It may wait for a writer that does not come.
        reads.kill().expect("cat ends");
        panic!("{written:?}");
    }
    let report = reads.wait_with_output().expect("cat ends");
    assert!(report.stdout.starts_with(b"<!DOCTYPE html>"));
    assert!(fs::metadata(&pipe).is_ok(), "it is still there");
}

/// The arguments of `lab proxy` before an API, up to the `--`.
fn proxy(upstream: &str, options: &str) -> String {
    format!("proxy {upstream} --set API_URL {options} --")
}

/// Nothing was found to be right.
fn assert_praises_nobody(ended: &Ended, story: &str) {
    for praise in ["kept", "✓"] {
        assert!(!ended.stdout.contains(praise), "{praise}: {story}");
    }
}

/// The standard library gives no thread a stack of this size, so that none starts.
const STACK_OF_NO_THREAD: &str = "1000000000000000";

#[test]
fn too_few_threads_are_no_verdict_on_a_client() {
    let upstream = api();
    let by_name = proxy(
        &upstream.replace("127.0.0.1", "localhost"),
        "--fault refused",
    );
    let calm = &["sh", "-c", CALM][..];
    for (arguments, client, words) in [
        ("scenario items", &[][..], "the serving thread"),
        ("grade --task no-body --", &["true"], "the serving thread"),
        // The name of a host is looked up on a thread of its own.
        (&by_name, calm, "worker thread"),
        ("storm spike", &[], "no thread"),
        ("serve --port 0", &[], "the serving thread"),
    ] {
        let mut lab = command(arguments);
        let lab = lab.args(client).env("RUST_MIN_STACK", STACK_OF_NO_THREAD);

        let ended = Ended::of(lab);

        let story = format!("{arguments}: {ended:?}");
        assert_eq!(ended.code, Some(3), "{story}");
        assert!(ended.stderr.contains(words), "{story}");
        assert_praises_nobody(&ended, &story);
    }
}

#[test]
fn a_report_that_is_too_large_is_no_verdict_on_a_client() {
    let proxy = proxy(&api(), "--fault refused --report card.html");
    for (arguments, client) in [
        ("scenario items --report run.html", &[][..]),
        (
            "grade --all --task no-body --report card.html --",
            &["true"],
        ),
        ("grade --all --task no-body --junit card.xml --", &["true"]),
        (&proxy, &["sh", "-c", CALM]),
    ] {
        let folder = tempdir().expect("a folder");

        let mut lab = limited("-f 0", arguments, client);
        let ended = Ended::of(lab.current_dir(&folder));

        let story = format!("{arguments}: {ended:?}");
        assert_eq!(ended.code, Some(3), "{story}");
        assert!(ended.stderr.contains("too large"), "{story}");
        assert_praises_nobody(&ended, &story);
        let left = fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, 0, "{story}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_verdict_on_a_client() {
    let full = || File::options().write(true).open("/dev/full");
    let proxy = proxy(&api(), "--fault refused");
    for (arguments, client) in [
        ("scenario items", &[][..]),
        ("grade --task no-body", &["--", "true"]),
        ("grade --task no-body --all", &["--", "true"]),
        ("grade --task no-body --json", &["--", "true"]),
        (proxy.trim_end_matches(" --"), &["--", "sh", "-c", CALM]),
    ] {
        let mut to_stdout = command(arguments);
        to_stdout.args(client).stdout(full().expect("a device"));
        let mut to_a_report = command(arguments);
        to_a_report.args(["--report", "/dev/full"]).args(client);
        for lab in [&mut to_stdout, &mut to_a_report] {
            let ended = Ended::of(lab);

            let story = format!("{lab:?}: {ended:?}");
            assert_eq!(ended.code, Some(3), "{story}");
            assert!(ended.stderr.contains("No space left"), "{story}");
            assert_praises_nobody(&ended, &story);
        }
    }
}

/// An allocation that fails ends a program, which cannot prevent that. It says nothing about a
/// client then either.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_no_verdict_on_a_client() {
    let skips = &["sh", "-c", r#"echo '{"skip": true}'"#][..];
    for (arguments, client, without_a_limit) in [
        ("scenario items", &[][..], 0),
        ("grade --task no-body --", skips, 4),
    ] {
        let codes: Vec<_> = (20_000..=100_000)
            .step_by(2_500)
            .map(|kilobytes| {
                let limit = format!("-v {kilobytes}");

                let ended = Ended::of(&mut limited(&limit, arguments, client));

                let story = format!("{limit} {arguments}: {ended:?}");
                let is_enough = ended.code == Some(without_a_limit);
                // The program is not loaded (127), or it is aborted.
                let is_no_verdict = matches!(ended.code, None | Some(3 | 127));
                assert!(is_enough || is_no_verdict, "{story}");
                assert!(is_enough || ended.stdout.is_empty(), "{story}");
                ended.code
            })
            .collect();
        assert_ne!(codes.first(), codes.last(), "{arguments}: {codes:?}");
    }
}
