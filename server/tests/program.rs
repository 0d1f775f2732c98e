//! The program `server`, in a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running program, killed if the test fails before it has ended.
pub(crate) struct Program {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// The two lines that it prints when it has started.
    pub(crate) lines: [String; 2],
}

impl Program {
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let lines = [(); 2].map(|()| {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            line
        });
        Self {
            child,
            stdout,
            lines,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        let line = self.lines[0].trim_end();
        let (_, address) = line.split_once("http://").expect("a base URL");
        address.parse().unwrap()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        testkit::process::signal(self.id(), name);
    }

    /// The exit status, and whatever else was printed.
    pub(crate) fn end(&mut self) -> (Option<i32>, String, String) {
        let status = self.child.wait().unwrap();
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).unwrap();
        let mut errors = self.child.stderr.take().unwrap();
        errors.read_to_string(&mut stderr).unwrap();
        (status.code(), stdout, stderr)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails if it has ended, which is what a test that passed expects.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
