//! `lab serve` as a person starts and ends it.

use std::{
    net::TcpListener,
    process::{self, Output},
};

use http::StatusCode;
use testkit::PATIENCE;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::web::support::Browser;

const FREE_PORTS: [&str; 4] = ["--port", "0", "--page-port", "0"];

fn lab(arguments: &[&str]) -> Command {
    lab_with("serve", arguments)
}

/// A subcommand of the lab.
pub(crate) fn lab_with(subcommand: &str, arguments: &[&str]) -> Command {
    let mut command = crate::program::lab();
    command.arg(subcommand).args(arguments);
    killed_with_the_test(command)
}

/// Runs a command to its end.
pub(crate) async fn output(mut command: Command) -> Output {
    let output = timeout(PATIENCE, command.output()).await;
    output.expect("an end in time").expect("lab runs")
}

pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

fn killed_with_the_test(command: process::Command) -> Command {
    let mut command = Command::from(command);
    command.kill_on_drop(true);
    command
}

/// A running `lab serve`.
pub(crate) struct Served {
    pub(crate) child: Child,
    /// The lines on stdout after those with the addresses.
    lines: Lines<BufReader<ChildStdout>>,
    /// The address of the service.
    pub(crate) service: String,
    /// The address of the web UI.
    pub(crate) page: String,
}

impl Served {
    /// Starts a command, and reads its addresses.
    pub(crate) async fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("lab runs");
        let stdout = child.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(stdout).lines();
        let mut address = async |before| {
            let line = line(&mut lines).await.expect("an address");
            line.strip_prefix(before).expect(before).to_owned()
        };
        let service = address("Teaching API started at ").await;
        let page = address("Web UI started at ").await;
        Self {
            child,
            lines,
            service,
            page,
        }
    }

    pub(crate) async fn on_free_ports() -> Self {
        Self::start(lab(&FREE_PORTS)).await
    }
}

async fn line(lines: &mut Lines<BufReader<ChildStdout>>) -> Option<String> {
    let line = timeout(PATIENCE, lines.next_line()).await;
    line.expect("a line in time").expect("a line")
}

/// Sends a signal to a process.
pub(crate) fn signal(child: &Child, name: &str) {
    testkit::process::signal(child.id().expect("it runs"), name);
}

#[cfg(unix)]
#[tokio::test]
async fn serve_prints_three_lines_and_runs_until_stopped() {
    let mut served = Served::on_free_ports().await;
    let hint = line(&mut served.lines).await;
    let browser = Browser::of(&served.page);
    let mut events = browser.listen().await;
    let response = browser.get("/").await;

    signal(&served.child, "TERM");

    let status = timeout(PATIENCE, served.child.wait()).await;
    let status = status.expect("a prompt end").expect("a status");
    assert_eq!(status.code(), Some(0));
    while events.next().await.is_some() {}
    assert_eq!(response.status, StatusCode::OK);
    let is_local = served.service.starts_with("http://127.0.0.1:");
    assert!(is_local, "{}", served.service);
    assert_eq!(hint.as_deref(), Some("Press Ctrl+C to stop."));
    assert_eq!(line(&mut served.lines).await, None);
}

/// A request whose handler has begun to read its body, which never ends.
async fn half_sent(base_url: &str, path: &str) -> TcpStream {
    let address = base_url.strip_prefix("http://").expect("an address");
    let mut upload = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n\
         idempotency-key: k\r\ncontent-type: application/json\r\n\
         expect: 100-continue\r\ncontent-length: 9\r\n\r\n"
    );
    upload.write_all(head.as_bytes()).await.expect("a head");
    upload.read_exact(&mut [0; 12]).await.expect("100");
    upload
}

/// One after the other, the two drains would take longer than the program may.
#[cfg(unix)]
#[tokio::test]
async fn connections_that_are_busy_are_cut_off_after_one_drain() {
    let served = Served::on_free_ports().await;
    let _to_the_page = half_sent(&served.page, "/api/runs").await;
    let _to_the_service = half_sent(&served.service, "/jobs").await;

    signal(&served.child, "INT");

    let output = timeout(PATIENCE, served.child.wait_with_output()).await;
    let output = output.expect("a prompt end").expect("an end");
    let cut_off = "connections that were busy and were cut off: 2\n";
    assert_eq!(text(output.stderr), cut_off);
    assert_eq!(output.status.code(), Some(0));
}

#[tokio::test]
async fn a_start_that_fails_names_the_port() {
    let holder = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let taken = holder.local_addr().expect("an address").port().to_string();
    let in_use = |option| {
        format!(
            "error: port {taken} on 127.0.0.1 is in use; choose another with {option}, \
             or {option} 0 for a free one\n"
        )
    };

    for (option, value, error) in [
        ("--port", &*taken, in_use("--port")),
        ("--page-port", &taken, in_use("--page-port")),
    ] {
        let free = FREE_PORTS
            .chunks(2)
            .filter(|pair| pair[0] != option)
            .flatten();
        let arguments: Vec<_> = free.copied().chain([option, value]).collect();
        let output = output(lab(&arguments)).await;

        assert_eq!(output.status.code(), Some(3), "{option} {value}");
        assert!(output.stdout.is_empty());
        let printed = text(output.stderr);
        assert!(printed.starts_with(&error), "{printed}");
    }
}

/// Reads lines until one contains this.
async fn line_with(lines: &mut Lines<BufReader<impl AsyncRead + Unpin>>, part: &str) {
    let found = async {
        while let Some(line) = lines.next_line().await.expect("a line") {
            if line.contains(part) {
                return;
            }
        }
        panic!("no line holds {part}");
    };
    timeout(PATIENCE, found).await.expect("the line in time");
}

#[tokio::test]
async fn serve_logs_runs_and_warns_about_a_receiver_that_is_down() {
    let nobody = host::refusing_port().expect("a port");
    let receiver = format!("http://{}", nobody.local_addr().expect("an address"));
    let mut command = lab(&[&FREE_PORTS[..], &["--otlp", &receiver]].concat());
    command.env("RUST_LOG", "server=info,client=info");
    let mut served = Served::start(command).await;
    let stderr = served.child.stderr.take().expect("a pipe");
    let mut stderr = BufReader::new(stderr).lines();

    Browser::of(&served.service).get("/no-content").await;
    line_with(&mut stderr, "/no-content").await;
    Browser::of(&served.page).run_scenario("flaky").await;

    line_with(&mut stderr, "/flaky").await;
    line_with(&mut stderr, "warning: the run was not exported to ").await;
}
