//! A lab that runs out of descriptors, threads, memory or disk ends with exit code 3 and a
//! cause, and gives no verdict.
#![cfg(unix)]

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
    process::{Command, Stdio},
};

use tempfile::tempdir;

use crate::command::{
    Ended, command,
    proxy::{CALM, api, judges},
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

/// A command refuses to begin with fewer than 64 descriptors, however few those are.
#[test]
fn too_few_descriptors_are_no_verdict_on_a_client() {
    for limit in ["-n 8", "-n 63"] {
        let ended = Ended::of(&mut limited(limit, "scenario items", &[]));

        let story = format!("{limit}: {ended:?}");
        let is_limited = ended.code == Some(3) && ended.stderr.contains("open");
        assert!(is_limited, "{story}");
        assert_praises_nobody(&ended, &story);
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
    let by_name = api().replace("127.0.0.1", "localhost");
    for (mut lab, words) in [
        // The name of a host is looked up on a thread of its own.
        (judges(&by_name, "--fault refused", CALM), "worker thread"),
        (command("scenario items"), "the serving thread"),
        (command("storm spike"), "no thread"),
    ] {
        let ended = Ended::of(lab.env("RUST_MIN_STACK", STACK_OF_NO_THREAD));

        let story = format!("{lab:?}: {ended:?}");
        assert_eq!(ended.code, Some(3), "{story}");
        assert!(ended.stderr.contains(words), "{story}");
        assert_praises_nobody(&ended, &story);
    }
}

#[test]
fn a_report_that_is_too_large_is_no_verdict_on_a_client() {
    let folder = tempdir().expect("a folder");

    let arguments = "grade --all --task no-body --junit card.xml --";
    let ended = Ended::of(limited("-f 0", arguments, &["true"]).current_dir(&folder));

    let story = format!("{ended:?}");
    assert_eq!(ended.code, Some(3), "{story}");
    assert!(ended.stderr.contains("too large"), "{story}");
    assert_praises_nobody(&ended, &story);
    let left = fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(left, 0, "{story}");
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_old_one_behind_its_link() {
    let folder = tempdir().expect("a folder");
    symlink("card.xml", folder.path().join("link")).expect("a link");
    let arguments = "grade --all --task no-body --junit link --";
    let mut written = command(arguments);
    let written = Ended::of(written.arg("true").current_dir(&folder));
    let card = || fs::read_to_string(folder.path().join("card.xml")).expect("a card");
    let old = card();

    let ended = Ended::of(limited("-f 0", arguments, &["true"]).current_dir(&folder));

    assert_eq!((written.code, ended.code), (Some(1), Some(3)), "{ended:?}");
    assert_eq!(card(), old);
    assert!(!ended.stderr.contains(".part"), "{ended:?}");
    let left = fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(left, 2, "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_verdict_on_a_client() {
    for arguments in ["--help", "scenario items", "serve --port 0 --page-port 0"] {
        let full = File::options().write(true).open("/dev/full");
        let full = full.expect("a device that is always full");

        let ended = Ended::of(command(arguments).stdout(full));

        let story = format!("{arguments}: {ended:?}");
        assert_eq!(ended.code, Some(3), "{story}");
        assert!(ended.stderr.starts_with("error: "), "{story}");
        assert!(ended.stderr.contains("No space left"), "{story}");
    }
}

/// An allocation that fails ends a program, which cannot prevent that. It says nothing about a
/// client then either.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_no_verdict_on_a_client() {
    let skips = ["sh", "-c", r#"echo '{"skip": true}'"#];
    let codes = [20_000, 100_000].map(|kilobytes| {
        let limit = format!("-v {kilobytes}");

        let ended = Ended::of(&mut limited(&limit, "grade --task no-body --", &skips));

        let story = format!("{limit}: {ended:?}");
        let is_enough = ended.code == Some(4);
        // The program is not loaded (127), or it is aborted.
        let is_no_verdict = matches!(ended.code, None | Some(3 | 127));
        assert!(is_enough || is_no_verdict, "{story}");
        assert!(is_enough || ended.stdout.is_empty(), "{story}");
        ended.code
    });
    assert_ne!(codes.first(), codes.last(), "{codes:?}");
}
