//! Processes: this program again, as a worker on a core of its own.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStdin, Command, Stdio},
};

/// The first argument of a worker.
const WORKER: &str = "worker";

/// Where what is measured runs, and where what plays the other end.
#[derive(Clone, Copy)]
pub(crate) enum Core {
    First,
    Second,
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

/// The instructions of a worker, by callgrind.
pub(crate) fn instructions(worker: &str, arguments: &[&str]) -> f64 {
    let mut command = pinned(Core::First, "valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args([&this_program(), WORKER, worker])
        .args(arguments);
    let output = command.output().expect("valgrind runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "valgrind: {said}");
    let collected = said
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .map(|(_, count)| count.trim().parse());
    collected
        .expect("callgrind counts")
        .expect("a count is a number")
}

/// What a worker prints, from begin to end.
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

/// A worker that serves for as long as this value lives.
pub(crate) struct Service {
    /// Where it serves, without a slash at the end.
    pub(crate) base_url: String,
    child: Child,
    /// It ends when this is closed, in good order.
    stdin: Option<ChildStdin>,
}

impl Service {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a worker starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is piped");
        let mut base_url = String::new();
        BufReader::new(stdout)
            .read_line(&mut base_url)
            .expect("a worker prints where it serves");
        Self {
            base_url: base_url.trim_end().to_owned(),
            child,
            stdin,
        }
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.stdin.take());
        self.child.wait().expect("a worker ends");
    }
}

/// What a worker that serves does once it serves: it says where, and waits for the end.
pub(crate) fn serve_at(base_url: &str) {
    println!("{base_url}");
    let mut stdin = std::io::stdin().lock();
    // There is nothing to read but its end.
    let _ended = stdin.read_to_end(&mut Vec::new());
}
