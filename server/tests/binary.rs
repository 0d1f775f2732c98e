//! The program: its two lines, its signals, its exit status, and what it logs,
//! whatever `RUST_LOG` asks for.

#![cfg(unix)]

#[path = "support/program.rs"]
mod program;
mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;

use program::Program;
use server::DEFAULT_PORT;
use support::{Response, exchange, request};

fn start() -> Program {
    start_with(&[])
}

fn start_with(arguments: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    Program::spawn(command.args(["--port", "0"]).args(arguments))
}

#[test]
fn prints_two_lines_serves_and_stops_on_either_signal() {
    for signal in ["INT", "TERM"] {
        let mut program = start();
        let address = program.address();

        let response = get(address, "/items");
        program.signal(signal);
        let ended = program.end();

        assert_eq!(
            program.lines[0],
            format!("Teaching API started at http://{address}\n")
        );
        assert_eq!(program.lines[1], "Press Ctrl+C to stop.\n");
        assert_eq!(response.status, 200);
        assert_eq!(
            ended,
            (Some(0), String::new(), String::new()),
            "after {signal}"
        );
    }
}

/// A request that is in flight for as long as one likes: its body never ends.
fn unfinished_request(address: SocketAddr) -> TcpStream {
    let mut unfinished = TcpStream::connect(address).unwrap();
    let complete = request("POST", "/jobs", "", "{}");
    unfinished
        .write_all(&complete.as_bytes()[..complete.len() - 1])
        .unwrap();
    let in_flight = "http_server_active_requests{http_request_method=\"POST\"} 1";
    while !get(address, "/metrics").body.contains(in_flight) {}
    unfinished
}

#[test]
fn a_second_signal_ends_a_drain_at_once() {
    let mut program = start();
    let mut idle = TcpStream::connect(program.address()).unwrap();
    exchange(&idle, request("GET", "/items", "", "").as_bytes());
    let _unfinished = unfinished_request(program.address());

    program.signal("INT");
    // The drain begins by closing idle connections: only then is the first signal
    // known to be spent.
    idle.read_to_end(&mut Vec::new()).unwrap();
    program.signal("INT");
    let (status, _, stderr) = program.end();

    assert_eq!(status, Some(1));
    assert_eq!(stderr, "error: the stop was cut short by a second signal\n");
}

#[test]
fn a_stop_that_cuts_off_a_request_is_told_by_the_exit_status() {
    let mut program = start_with(&["--drain-deadline", "0.001"]);
    let _unfinished = unfinished_request(program.address());

    program.signal("INT");
    let (status, _, stderr) = program.end();

    assert_eq!(status, Some(1));
    assert_eq!(
        stderr,
        "error: the stop was cut short; connections still busy after 1ms: 1\n"
    );
}

#[test]
fn a_drain_deadline_out_of_range_is_a_usage_error() {
    for deadline in ["0", "-1", "61", "NaN", "1e300", "soon"] {
        let output = Command::new(env!("CARGO_BIN_EXE_server"))
            .args(["--port", "0", "--drain-deadline", deadline])
            .output()
            .unwrap();

        assert_eq!(output.status.code(), Some(2), "{deadline}");
        assert!(output.stdout.is_empty(), "{deadline}");
    }
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
        let response = get(program.address(), "/items");

        assert_eq!(started, "Teaching API started at http://127.0.0.1:8765\n");
        assert_eq!(response.status, 200);
    }
    assert_eq!(DEFAULT_PORT, 8765);
}

#[test]
fn half_a_request_does_not_hold_a_stop_up() {
    let mut program = start();
    let mut half = TcpStream::connect(program.address()).unwrap();
    half.write_all(b"GET /items HTTP/1.1\r\nhost:").unwrap();
    get(program.address(), "/items");

    program.signal("INT");
    let (status, _, stderr) = program.end();

    // It would be 1 if the drain deadline had passed.
    assert_eq!((status, &*stderr), (Some(0), ""));
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
    let statuses = requests.map(|request| {
        let stream = TcpStream::connect(program.address()).unwrap();
        exchange(&stream, request.as_bytes()).status
    });
    assert_eq!(statuses, [400, 201, 400, 404]);

    program.signal("INT");
    let (status, stdout, log) = program.end();
    assert_eq!((status, &*stdout), (Some(0), ""), "logs are no data");
    log
}

#[test]
fn each_request_is_one_line_without_a_secret_whatever_is_asked_for() {
    for directives in [
        "trace",
        "info",
        "hyper=trace,hyper_util=trace,axum=trace,tower_http=trace,server=trace",
    ] {
        let log = log(directives);

        assert_eq!(log.lines().count(), 4, "{directives}: {log}");
        for line in log.lines() {
            assert!(line.contains("}: server: close "), "{directives}: {line}");
            assert!(!line.contains("SECRET"), "{directives}: {line}");
        }
    }
}

#[test]
fn nothing_is_logged_unless_this_crate_is_asked_for() {
    for directives in ["", "off", "hyper=trace,hyper_util=trace,axum=trace"] {
        assert_eq!(log(directives), "", "{directives}");
    }
}

#[test]
fn directives_that_cannot_be_read_cost_one_line_and_no_service() {
    let log = log("server=loud");

    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(
        log.starts_with("warning: RUST_LOG is ignored, since \"server=loud\" cannot be read: "),
        "{log}"
    );
}

/// One request on a connection of its own.
fn get(address: SocketAddr, path: &str) -> Response {
    let stream = TcpStream::connect(address).unwrap();
    exchange(&stream, request("GET", path, "", "").as_bytes())
}
