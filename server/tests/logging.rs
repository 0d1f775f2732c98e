//! What the program logs, whatever `RUST_LOG` asks for.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use support::{exchange, request};

/// Lets the program response requests that carry secrets wherever one can, stops it,
/// and returns what it wrote to stderr.
fn log(rust_log: &str) -> String {
    let mut server = Command::new(env!("CARGO_BIN_EXE_server"))
        .args(["--port", "0"])
        .env("RUST_LOG", rust_log)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(server.stdout.take().unwrap());
    let lines = [(); 2].map(|()| {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        line
    });
    let (_, address) = lines[0].trim_end().split_once("http://").unwrap();
    let headers = "content-type: application/json\r\nidempotency-key: SECRET\r\n\
                   authorization: SECRET\r\n";
    let requests = [
        request("GET", "/items?cursor=SECRET", headers, ""),
        request("POST", "/jobs", headers, r#"{"SECRET": 1}"#),
        request("POST", "/jobs", headers, "SECRET"),
        request("GET", "/SECRET", headers, ""),
    ];
    let statuses = requests.map(|request| {
        let stream = TcpStream::connect(address).unwrap();
        exchange(&stream, request.as_bytes()).status
    });
    assert_eq!(statuses, [400, 201, 400, 404]);

    let pid = server.id().to_string();
    let interrupted = Command::new("kill").args(["-s", "INT", &pid]).status();
    assert!(interrupted.unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "logs are no data");
    let mut log = String::new();
    let mut stderr = server.stderr.take().unwrap();
    stderr.read_to_string(&mut log).unwrap();
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
