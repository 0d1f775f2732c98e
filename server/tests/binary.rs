//! The program: its two lines, its signals, its exit status, and what it logs,
//! whatever `RUST_LOG` asks for.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;

use server::DEFAULT_PORT;
use testkit::http::{connect, exchange, get, request};

use crate::program::Program;

fn start() -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    Program::spawn(command.args(["--port", "0"]))
}

#[test]
fn prints_two_lines_serves_and_stops_on_each_signal() {
    for signal in ["INT", "TERM", "HUP"] {
        let mut program = start();
        let address = program.address();

        let response = get(connect(address), "/items");
        program.signal(signal);
        let ended = program.end();

        let started = format!("Teaching API started at http://{address}\n");
        assert_eq!(program.lines, [&*started, "Press Ctrl+C to stop.\n"]);
        assert_eq!(response.status, 200);
        let quiet = (Some(0), String::new(), String::new());
        assert_eq!(ended, quiet, "after {signal}");
    }
}

/// A request that is in flight for as long as one likes: its body never ends.
fn unfinished_request(address: SocketAddr) -> TcpStream {
    let mut unfinished = connect(address);
    let complete = request("POST", "/jobs", "", "{}");
    let begin = &complete.as_bytes()[..complete.len() - 1];
    unfinished.write_all(begin).unwrap();
    let in_flight = "http_server_active_requests{http_request_method=\"POST\"} 1";
    while !get(connect(address), "/metrics").body.contains(in_flight) {}
    unfinished
}

#[test]
fn a_second_signal_ends_a_drain_at_once() {
    let mut program = start();
    let mut idle = connect(program.address());
    get(&idle, "/items");
    let _unfinished = unfinished_request(program.address());

    program.signal("INT");
    // The drain begins by closing idle connections: only then is the first signal
    // known to be spent.
    idle.read_to_end(&mut Vec::new()).unwrap();
    program.signal("TERM");
    let (status, _, stderr) = program.end();

    assert_eq!((status, &*stderr), (Some(143), ""));
}

#[test]
fn a_request_that_is_in_flight_after_the_drain_is_cut_off() {
    let mut program = start();
    let _unfinished = unfinished_request(program.address());

    program.signal("INT");
    let (status, _, stderr) = program.end();

    assert_eq!(status, Some(0));
    let cut_off = "connections that were busy and were cut off: 1\n";
    assert_eq!(stderr, cut_off);
}

/// The end of the program with arguments with which it does not serve.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    let output = command.args(arguments).output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), stdout, stderr)
}

/// The port is fixed, so that somebody else may have it. Then the refusal names it.
#[test]
fn without_a_port_it_listens_on_8765() {
    let mut program = Program::spawn(&mut Command::new(env!("CARGO_BIN_EXE_server")));

    let [started, _] = program.lines.clone();
    if started.is_empty() {
        let (status, _, stderr) = program.end();

        assert_eq!(status, Some(3));
        let refused = format!("error: port {DEFAULT_PORT} on 127.0.0.1 is in use;");
        assert!(stderr.starts_with(&refused), "{stderr}");
    } else {
        let response = get(connect(program.address()), "/items");

        assert_eq!(started, "Teaching API started at http://127.0.0.1:8765\n");
        assert_eq!(response.status, 200);
    }
    assert_eq!(DEFAULT_PORT, 8765);
}

#[test]
fn a_port_in_use_is_one_clear_line() {
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port().to_string();

    let (status, stdout, stderr) = run(&["--port", &port]);

    assert_eq!((status, &*stdout), (Some(3), ""));
    let hint = "choose another with --port, or --port 0 for a free one";
    let refused = format!("error: port {port} on 127.0.0.1 is in use; {hint}\n");
    assert_eq!(stderr, refused);
}

/// Lets the program respond to requests that carry secrets wherever one can, stops
/// it, and returns what it wrote to stderr.
fn log(rust_log: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    let command = command.args(["--port", "0"]).env("RUST_LOG", rust_log);
    let mut program = Program::spawn(command);
    let headers = "content-type: application/json\r\nidempotency-key: SECRET\r\n\
                   authorization: SECRET\r\n";
    let requests = [
        request("GET", "/items?cursor=SECRET", headers, ""),
        request("POST", "/jobs", headers, r#"{"SECRET": 1}"#),
        request("POST", "/jobs", headers, "SECRET"),
        request("GET", "/SECRET", headers, ""),
    ];
    let statuses = requests.map(|request| exchange(connect(program.address()), request).status);
    assert_eq!(statuses, [400, 201, 400, 404]);

    program.signal("INT");
    let (status, stdout, log) = program.end();
    assert_eq!((status, &*stdout), (Some(0), ""), "logs are no data");
    log
}

#[test]
fn each_request_is_one_line_without_a_secret_whatever_is_asked_for() {
    let log = log("trace,hyper=trace,hyper_util=trace,axum=trace,tower_http=trace");

    assert_eq!(log.lines().count(), 4, "{log}");
    for line in log.lines() {
        assert!(line.contains("}: server: close "), "{line}");
        assert!(!line.contains("SECRET"), "{line}");
    }
}

#[test]
fn directives_that_cannot_be_read_cost_one_line_and_no_service() {
    let log = log("server=loud");

    assert_eq!(log.lines().count(), 1, "{log}");
    let ignored = "warning: RUST_LOG is ignored, since \"server=loud\" cannot be read: ";
    assert!(log.starts_with(ignored), "{log}");
}
