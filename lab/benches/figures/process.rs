//! Processes: this program again, as a worker on a core of its own.

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
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

/// Whether a program can be called. If not, the table does not include its figures.
pub(crate) fn is_installed(program: &str) -> bool {
    let is_installed = Command::new(program).arg("--version").output().is_ok();
    if !is_installed {
        eprintln!("some figures need {program}, which is not installed");
    }
    is_installed
}

/// A program on a core of its own.
pub(crate) fn pinned(core: &str, program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", core, program]);
    command
}

/// A worker on a core, yet to be started.
fn worker_on(core: &str, worker: &str, arguments: &[&str]) -> Command {
    let mut command = pinned(core, &this_program());
    command.args([WORKER, worker]).args(arguments);
    command
}

/// All output of a worker on the first core.
pub(crate) fn output(worker: &str, arguments: &[&str]) -> String {
    output_of(worker_on(FIRST, worker, arguments)).0
}

/// What a program prints on stdout and on stderr.
pub(crate) fn output_of(mut command: Command) -> (String, String) {
    let output = command.output().expect("it starts");
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {stderr}");
    (stdout, stderr)
}

/// The instructions of a worker inside this function, by callgrind. The start of a process
/// takes millions of instructions, and never the same number.
pub(crate) fn instructions(function: &str, worker: &str, arguments: &[&str]) -> f64 {
    let mut command = pinned(FIRST, "valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect=*{function}*"))
        .args([&this_program(), WORKER, worker])
        .args(arguments);
    let (_, said) = output_of(command);
    let mut lines = said.lines();
    let collected = lines.find_map(|line| line.split_once("Collected : "));
    let (_, collected) = collected.expect("callgrind counts");
    let collected = collected.trim().parse().expect("a number");
    assert!(collected > 0.0, "{worker} never called {function}");
    collected
}

fn this_program() -> String {
    let path = env::current_exe().expect("a program has a path");
    path.into_os_string().into_string().expect("a path of text")
}

/// A worker that lives for as long as this value, and prints a line when it is ready.
pub(crate) struct Worker {
    child: Child,
    /// The worker ends when this is closed.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// Where it serves, without a slash at the end, if it does.
    pub(crate) base_url: String,
}

impl Worker {
    pub(crate) fn start(core: &str, worker: &str, arguments: &[&str]) -> Self {
        let mut child = worker_on(core, worker, arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a worker starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut worker = Self {
            child,
            stdin,
            stdout,
            base_url: String::new(),
        };
        worker.base_url = worker.line();
        worker
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.stdout.read_line(&mut line);
        read.expect("a worker prints a line");
        line.trim_end().to_owned()
    }

    /// Sends it a line, and returns the number with which it responds.
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
