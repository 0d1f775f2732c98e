//! Processes: this program again, as a worker on a core of its own.

use std::{
    env,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use tokio::runtime::{Builder, Runtime};

/// The first argument of a worker.
const WORKER: &str = "worker";

/// The core of the measured program, or the core of its peer.
#[derive(Clone, Copy)]
pub(crate) enum Core {
    First,
    Second,
}

/// A runtime for one thread.
pub(crate) fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

/// The worker that these arguments ask for, with its own arguments.
pub(crate) fn worker(arguments: &[String]) -> Option<(&str, &[String])> {
    match arguments {
        [first, worker, rest @ ..] if first == WORKER => Some((worker, rest)),
        _ => None,
    }
}

/// Whether a program can be called.
pub(crate) fn is_installed(program: &str) -> bool {
    let version = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    version.is_ok()
}

/// A program on a core of its own, if processes can be pinned here.
pub(crate) fn pinned(core: Core, program: &str) -> Command {
    if !is_installed("taskset") {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    let core = match core {
        Core::First => "0",
        Core::Second => "1",
    };
    command.args(["-c", core, program]);
    command
}

/// A worker on a core, yet to be started.
pub(crate) fn worker_on(core: Core, worker: &str, arguments: &[&str]) -> Command {
    let mut command = pinned(core, &this_program());
    command.args([WORKER, worker]).args(arguments);
    command
}

/// The instructions of a worker inside this function, by callgrind. The start of a process
/// takes millions of instructions, and never the same number.
pub(crate) fn instructions(function: &str, worker: &str, arguments: &[&str]) -> f64 {
    let mut command = pinned(Core::First, "valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect=*{function}*"))
        .args([&this_program(), WORKER, worker])
        .args(arguments);
    let output = command.output().expect("valgrind runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "valgrind: {said}");
    let mut lines = said.lines();
    let collected = lines.find_map(|line| line.split_once("Collected : "));
    let (_, collected) = collected.expect("callgrind counts");
    let collected = collected.trim().parse().expect("a number");
    assert!(collected > 0.0, "{worker} never called {function}");
    collected
}

/// All output of a worker.
pub(crate) fn output(mut command: Command) -> String {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .expect("a worker starts");
    assert!(output.status.success(), "a worker failed");
    String::from_utf8(output.stdout).expect("a worker prints text")
}

fn this_program() -> String {
    let path = env::current_exe().expect("a program has a path");
    path.into_os_string().into_string().expect("a path of text")
}

/// A worker that lives for as long as this value.
pub(crate) struct Worker {
    child: Child,
    /// The worker ends when this is closed.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Worker {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a worker starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is piped");
        Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
        }
    }

    /// The next line that it prints.
    fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.stdout.read_line(&mut line);
        read.expect("a worker prints a line");
        line.trim_end().to_owned()
    }

    /// Sends it a line, and returns its response: see [`respond`].
    pub(crate) fn ask(&mut self) -> String {
        let stdin = self.stdin.as_mut().expect("it is open until the end");
        writeln!(stdin).expect("a worker reads");
        self.line()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.stdin.take());
        self.child.wait().expect("a worker ends");
    }
}

/// A worker that serves for as long as this value lives.
pub(crate) struct Service {
    /// Where it serves, without a slash at the end.
    pub(crate) base_url: String,
    worker: Worker,
}

impl Service {
    pub(crate) fn start(command: Command) -> Self {
        let mut worker = Worker::start(command);
        Self {
            base_url: worker.line(),
            worker,
        }
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.worker.child.id()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

/// Prints the URL of a worker that serves, and waits for the end of its stdin.
pub(crate) fn serve_at(base_url: &str) {
    println!("{base_url}");
    let mut stdin = std::io::stdin().lock();
    let _ended = stdin.read_to_end(&mut Vec::new());
}

/// Prints a line for each line of stdin.
pub(crate) fn respond(mut line: impl FnMut() -> String) {
    for _ in std::io::stdin().lines() {
        println!("{}", line());
    }
}
