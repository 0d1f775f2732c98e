//! The program: its two lines, its signals, its exit status.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

use support::{Answer, exchange, request};

/// A running program, killed if the test fails before it has ended.
struct Program {
    child: Child,
    stdout: BufReader<ChildStdout>,
    lines: [String; 2],
}

impl Program {
    fn start() -> Self {
        Self::spawn(Command::new(env!("CARGO_BIN_EXE_server")).args(["--port", "0"]))
    }

    fn spawn(command: &mut Command) -> Self {
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

    fn address(&self) -> SocketAddr {
        let (_, address) = self.lines[0]
            .trim_end()
            .split_once("http://")
            .expect("a base URL");
        address.parse().unwrap()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &pid])
                .status()
                .unwrap()
                .success()
        );
    }

    /// The exit status, and whatever else was printed.
    fn end(&mut self) -> (Option<i32>, String, String) {
        let status = self.child.wait().unwrap();
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).unwrap();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
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

#[test]
fn prints_two_lines_serves_and_stops_on_either_signal() {
    for signal in ["INT", "TERM"] {
        let mut program = Program::start();
        let address = program.address();

        let answer = get(address, "/items");
        program.signal(signal);
        let ended = program.end();

        assert_eq!(
            program.lines[0],
            format!("Teaching API started at http://{address}\n")
        );
        assert_eq!(program.lines[1], "Press Ctrl+C to stop.\n");
        assert_eq!(answer.status, 200);
        assert_eq!(
            ended,
            (Some(0), String::new(), String::new()),
            "after {signal}"
        );
    }
}

#[test]
fn a_second_signal_ends_a_drain_at_once() {
    let mut program = Program::start();
    let mut idle = TcpStream::connect(program.address()).unwrap();
    exchange(&idle, request("GET", "/items", "", "").as_bytes());
    // A request whose body never ends is in flight for as long as one likes.
    let mut unfinished = TcpStream::connect(program.address()).unwrap();
    let complete = request("POST", "/jobs", "", "{}");
    unfinished
        .write_all(&complete.as_bytes()[..complete.len() - 1])
        .unwrap();
    let in_flight = "http_server_active_requests{http_request_method=\"POST\"} 1";
    while !get(program.address(), "/metrics").body.contains(in_flight) {}

    program.signal("INT");
    // The drain begins by closing idle connections: only then is the first signal
    // known to be spent.
    idle.read_to_end(&mut Vec::new()).unwrap();
    program.signal("INT");
    let (status, ..) = program.end();

    assert_eq!(status, Some(1));
}

#[test]
fn running_out_of_descriptors_is_survived() {
    let script = "ulimit -n 24; exec \"$0\" --port 0";
    let server = env!("CARGO_BIN_EXE_server");
    let program = Program::spawn(Command::new("sh").args(["-c", script, server]));

    let too_many: Vec<_> = (0..60)
        .map(|_| TcpStream::connect(program.address()).unwrap())
        .collect();
    // The first one is served, so the loop has come to the others and to its limit.
    exchange(&too_many[0], request("GET", "/items", "", "").as_bytes());
    drop(too_many);
    let answer = get(program.address(), "/items");

    assert_eq!(answer.status, 200);
}

#[test]
fn a_port_in_use_is_one_clear_line() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port().to_string();

    let output = Command::new(env!("CARGO_BIN_EXE_server"))
        .args(["--port", &port])
        .output()
        .unwrap();

    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(output.stdout.is_empty());
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(
        stderr.contains(&port) && stderr.contains("--port 0"),
        "{stderr}"
    );
}

#[test]
fn help_goes_to_stdout_and_usage_errors_do_not() {
    let run = |argument| {
        Command::new(env!("CARGO_BIN_EXE_server"))
            .arg(argument)
            .output()
            .unwrap()
    };

    let (help, error) = (run("--help"), run("--prot"));

    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8(help.stdout).unwrap().contains("--port"));
    assert_eq!(error.status.code(), Some(2));
    assert!(error.stdout.is_empty());
}

#[test]
fn the_openapi_document_goes_to_stdout() {
    let output = Command::new(env!("CARGO_BIN_EXE_server"))
        .arg("--print-openapi")
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8(output.stdout).unwrap().trim_end(),
        server::openapi()
    );
}

/// One request on a connection of its own.
fn get(address: SocketAddr, path: &str) -> Answer {
    let stream = TcpStream::connect(address).unwrap();
    exchange(&stream, request("GET", path, "", "").as_bytes())
}
