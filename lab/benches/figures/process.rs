//! Processes: this program again, as a worker on a core of its own.

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
};

use tokio::runtime::{Builder, Runtime};

/// The first argument of a worker.
pub(crate) const WORKER: &str = "worker";

/// The core of the measured program.
pub(crate) const FIRST: &str = "0";

/// The core of its peer.
pub(crate) const SECOND: &str = "1";

/// A runtime for one thread.
pub(crate) fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

/// A worker that lives for as long as this value.
pub(crate) struct Worker {
    child: Child,
    /// The worker ends when this is closed.
    stdin: Option<ChildStdin>,
    lines: Box<dyn Iterator<Item = io::Result<String>>>,
    /// Where it serves, without a slash at the end, if it does.
    pub(crate) base_url: String,
}

impl Worker {
    /// Starts it, and waits until it is ready.
    pub(crate) fn start(core: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new("taskset")
            .args(["-c", core])
            .arg(env::current_exe().expect("a path"))
            .arg(WORKER)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a worker starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is piped");
        let mut worker = Self {
            child,
            stdin,
            lines: Box::new(BufReader::new(stdout).lines()),
            base_url: String::new(),
        };
        worker.base_url = worker.line();
        worker
    }

    fn line(&mut self) -> String {
        let line = self.lines.next().expect("a worker prints a line");
        line.expect("text")
    }

    /// Lets it have a turn, and returns its number.
    pub(crate) fn ask(&mut self) -> f64 {
        let stdin = self.stdin.as_mut().expect("it is open until the end");
        writeln!(stdin).expect("a worker reads");
        self.line().parse().expect("a number")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.stdin.take());
        self.child.wait().expect("a worker ends");
    }
}

/// Prints the URL of a worker that serves, and waits for the end of its stdin.
pub(crate) fn serve_at(base_url: &str) {
    println!("{base_url}");
    let _ended = io::stdin().lock().read_to_end(&mut Vec::new());
}

/// Has a turn whenever the worker is asked, and prints the number of each.
pub(crate) fn take_turns(mut turn: impl FnMut() -> f64) {
    println!("ready");
    for _ in io::stdin().lines() {
        println!("{}", turn());
    }
}

/// The instructions of a worker inside this function, by callgrind, or `None` if valgrind is
/// not installed. The start of a process takes millions of instructions, and never the same
/// number.
pub(crate) fn instructions(arguments: &[&str], function: &str) -> Option<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect=*{function}*"))
        .arg(env::current_exe().expect("a path"))
        .arg(WORKER)
        .args(arguments)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mut lines = said.lines();
    let collected = lines.find_map(|line| line.split_once("Collected : "));
    let (_, collected) = collected.unwrap_or_else(|| panic!("callgrind counts nothing: {said}"));
    let collected = collected.trim().parse().expect("a number");
    assert!(collected > 0.0, "{arguments:?} never called {function}");
    Some(collected)
}
