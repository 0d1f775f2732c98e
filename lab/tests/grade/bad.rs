//! Commands that are not a client: each gets a short error, and leaves no process.
#![cfg(unix)]

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
};

use tempfile::{TempDir, tempdir};
use testkit::{PATIENCE, files::example, process::signal};

use crate::program::lab;

/// A named pipe, `$HELD`. A client and all its children hold the other end as descriptor
/// 9, so the pipe reaches its end once none of them is left.
struct Held {
    path: PathBuf,
    words: Receiver<String>,
    _folder: TempDir,
}

impl Held {
    fn new() -> Self {
        let folder = tempdir().expect("a folder");
        let path = folder.path().join("held");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        let (sender, words) = channel();
        let pipe = path.clone();
        thread::spawn(move || {
            let pipe = BufReader::new(File::open(pipe).expect("it is opened"));
            for line in pipe.lines().map_while(Result::ok) {
                // A test that has seen enough stops listening.
                let _ = sender.send(line);
            }
        });
        Self {
            path,
            words,
            _folder: folder,
        }
    }

    /// `lab grade` with a shell script as the client.
    fn graded(&self, task: &str, script: &str) -> Child {
        let script = format!("exec 9<>$HELD; {script}");
        let mut lab = lab();
        lab.args(["grade", "--task", task, "--", "sh", "-c", &script]);
        lab.env("HELD", &self.path).spawn().expect("lab runs")
    }

    /// Waits until the client has written this.
    fn says(&self, word: &str) {
        assert_eq!(self.words.recv_timeout(PATIENCE).as_deref(), Ok(word));
    }

    /// Waits until nobody holds it any more.
    fn is_let_go(&self, script: &str) {
        loop {
            match self.words.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => panic!("something is left of {script}"),
            }
        }
    }
}

fn ended(lab: Child) -> (Option<i32>, String) {
    let output = lab.wait_with_output().expect("lab ends");
    let stdout = String::from_utf8(output.stdout).expect("text");
    (output.status.code(), stdout)
}

#[test]
fn a_bad_command_is_reported_and_leaves_no_process() {
    let habits = example("habits");
    let table = [
        // Neither it nor its child ever connects or ends.
        (
            "read-all",
            "echo begun >&9; sleep 60 & sleep 60".to_owned(),
            "no request within 20 s",
        ),
        (
            "long-list",
            format!("echo begun >&9; exec {habits} no-page-limit"),
            "a flood of requests",
        ),
    ];
    let running = table.iter().map(|(task, script, word)| {
        let held = Held::new();
        (held.graded(task, script), held, script, word)
    });

    for (lab, held, script, word) in running.collect::<Vec<_>>() {
        held.says("begun");
        let (code, stdout) = ended(lab);

        assert_eq!(code, Some(1), "{script}: {stdout}");
        assert!(stdout.contains(word), "{script}: {stdout}");
        held.is_let_go(script);
    }
}

#[test]
fn ctrl_c_ends_the_client_too() {
    let held = Held::new();
    let script = "sleep 60 & echo begun >&9; sleep 60";

    let lab = held.graded("read-all", script);
    held.says("begun");
    signal(lab.id(), "INT");

    assert_eq!(ended(lab).0, Some(130));
    held.is_let_go(script);
}
