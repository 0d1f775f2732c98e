//! Commands that are no client: each is told in a word, and leaves nothing behind.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use tempfile::tempdir;

use crate::example;

/// `lab grade` with a shell script as the client, which can write what it starts to
/// `$PIDS`.
fn graded(task: &str, script: &str, pids: &Path) -> Child {
    let lab = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["grade", "--task", task, "--", "sh", "-c", script])
        .env("PIDS", pids)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    lab.expect("lab runs")
}

fn ended(lab: Child) -> (Option<i32>, String) {
    let output = lab.wait_with_output().expect("lab ends");
    let stdout = String::from_utf8(output.stdout).expect("text");
    (output.status.code(), stdout)
}

/// The processes that a script has noted.
fn noted(pids: &Path) -> Vec<u32> {
    let pids = fs::read_to_string(pids).unwrap_or_default();
    let pids = pids.lines().filter_map(|line| line.parse().ok());
    pids.collect()
}

/// A process that nobody has waited for yet is not alive.
fn is_alive(process: u32) -> bool {
    let ps = Command::new("ps")
        .args(["-o", "stat=", "-p", &process.to_string()])
        .output();
    let state = ps.expect("ps runs").stdout;
    !state.is_empty() && !state.starts_with(b"Z")
}

/// Waits for something that is about to happen.
fn soon(happened: impl Fn() -> bool, what: &str) {
    for _ in 0..3_000 {
        if happened() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("never: {what}");
}

fn assert_nothing_is_left(pids: &Path, script: &str) {
    let processes = noted(pids);
    assert!(!processes.is_empty(), "{script} has noted no process");
    soon(|| !processes.iter().any(|it| is_alive(*it)), script);
}

#[test]
fn a_bad_command_is_told_in_a_word_and_leaves_nothing() {
    let folder = tempdir().expect("a folder");
    let habits = example("habits").into_string().expect("Unicode");
    let table = [
        // It never connects, and never ends; nor does what it has started.
        (
            "read-all",
            "sleep 60 & echo $! >$PIDS; echo $$ >>$PIDS; sleep 60".to_owned(),
            "still running after 10",
        ),
        // It ends, and what it has started holds its pipes.
        (
            "read-all",
            "sleep 60 & echo $! >$PIDS; echo '{\"records\": 7}'".to_owned(),
            "sent no request",
        ),
        (
            "read-all",
            "echo $$ >$PIDS; kill -SEGV $$".to_owned(),
            "ended by signal 11",
        ),
        (
            "long-list",
            format!("echo $$ >$PIDS; exec {habits} no-page-limit"),
            "a flood of requests",
        ),
    ];
    let running = table
        .iter()
        .enumerate()
        .map(|(number, (task, script, word))| {
            let pids: PathBuf = folder.path().join(number.to_string());
            (graded(task, script, &pids), pids, script, word)
        });

    for (lab, pids, script, word) in running.collect::<Vec<_>>() {
        let (code, stdout) = ended(lab);

        assert_eq!(code, Some(1), "{script}: {stdout}");
        assert!(stdout.contains(word), "{script}: {stdout}");
        assert_nothing_is_left(&pids, script);
    }
}

#[test]
fn ctrl_c_ends_the_client_too() {
    let folder = tempdir().expect("a folder");
    let pids = folder.path().join("pids");
    let script = "sleep 60 & echo $! >$PIDS; echo $$ >>$PIDS; sleep 60";

    let lab = graded("read-all", script, &pids);
    soon(|| noted(&pids).len() == 2, "the client starts");
    let interrupted = Command::new("kill")
        .args(["-INT", &lab.id().to_string()])
        .status();

    assert!(interrupted.expect("kill runs").success());
    assert_eq!(ended(lab).0, Some(130));
    assert_nothing_is_left(&pids, script);
}

/// The most memory that a process has used so far, in KiB.
#[cfg(target_os = "linux")]
fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn megabytes_of_output_are_not_kept() {
    const PRINTED_MIB: u64 = 200;
    let folder = tempdir().expect("a folder");
    let pids = folder.path().join("pids");
    let script = format!(
        "yes | head -c {}; yes | head -c {0} >&2; echo done >$PIDS; sleep 1",
        PRINTED_MIB << 20
    );

    let lab = graded("read-all", &script, &pids);
    soon(|| pids.exists(), "all is printed");
    let peak = peak(lab.id()).expect("lab is still running");

    assert!(peak < PRINTED_MIB << 9, "{peak} KiB");
    ended(lab);
}
