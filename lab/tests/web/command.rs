//! `lab serve` as a person starts and ends it.

use std::{fs, net::TcpListener, process::Stdio};

use http::{Method, StatusCode};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::support::{Browser, PATIENCE};

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command
        .arg("serve")
        .args(arguments)
        .env_remove("RUST_LOG")
        .env_remove("OTEL_EXPORTER_OTLP_ENDPOINT")
        .env_remove("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        .kill_on_drop(true);
    command
}

pub(crate) async fn start(arguments: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = lab(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .expect("lab runs");
    let stdout = child.stdout.take().expect("a pipe");
    (child, BufReader::new(stdout).lines())
}

pub(crate) async fn line(lines: &mut Lines<BufReader<ChildStdout>>) -> Option<String> {
    let line = timeout(PATIENCE, lines.next_line()).await;
    line.expect("a line in time").expect("a line")
}

#[cfg(unix)]
#[tokio::test]
async fn serve_prints_three_lines_and_runs_until_stopped() {
    for signal in ["-INT", "-TERM"] {
        let (mut child, mut lines) = start(&["--port", "0", "--page-port", "0"]).await;
        let service = line(&mut lines).await.expect("the service");
        let page = line(&mut lines).await.expect("the page");
        let hint = line(&mut lines).await;
        let page = page.strip_prefix("Web UI started at ").expect("an address");
        let browser = Browser::of(page);
        let mut events = browser.listen(None).await;
        let response = browser.get("/").await;

        let pid = child.id().expect("it runs").to_string();
        let kill = Command::new("kill").args([signal, &pid]).status().await;

        assert!(kill.expect("kill runs").success());
        let status = timeout(PATIENCE, child.wait()).await.expect("a prompt end");
        assert_eq!(status.expect("a status").code(), Some(0), "{signal}");
        while events.next().await.is_some() {}
        assert_eq!(response.status, StatusCode::OK);
        assert!(
            service.starts_with("Teaching API started at http://127.0.0.1:"),
            "{service}"
        );
        assert_eq!(hint.as_deref(), Some("Press Ctrl+C to stop."));
        assert_eq!(line(&mut lines).await, None);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_stop_that_is_cut_short_says_so_and_fails() {
    let mut child = lab(&["--port", "0", "--page-port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lab runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    line(&mut lines).await.expect("the service");
    let page = line(&mut lines).await.expect("the page");
    let address = page.strip_prefix("Web UI started at http://");
    let mut upload = TcpStream::connect(address.expect("an address"))
        .await
        .expect("a connection");
    let head = "POST /api/runs HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n\
                content-type: application/json\r\nexpect: 100-continue\r\n\
                content-length: 9\r\n\r\n";
    upload.write_all(head.as_bytes()).await.expect("a head");
    // The handler has begun to read the body.
    upload.read_exact(&mut [0; 12]).await.expect("100");

    let pid = child.id().expect("it runs").to_string();
    let kill = Command::new("kill").args(["-INT", &pid]).status().await;

    assert!(kill.expect("kill runs").success());
    let output = timeout(PATIENCE, child.wait_with_output()).await;
    let output = output.expect("a prompt end").expect("an end");
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(
        error,
        "error: the stop was cut short; connections still busy: 1\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
#[tokio::test]
async fn a_card_opens_with_few_descriptors() {
    let script = "ulimit -n 128; exec \"$0\" serve --port 0 --page-port 0";
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_lab")])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("sh runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    line(&mut lines).await.expect("the service");
    let page = line(&mut lines).await.expect("the page");
    let browser = Browser::of(page.strip_prefix("Web UI started at ").expect("an address"));

    let card = browser.change(Method::POST, "/api/card").await;

    assert_eq!(card.status, StatusCode::CREATED, "{}", card.text());
}

/// Only Linux shows how many descriptors a process has.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_page_responds_while_the_service_has_no_descriptors_left() {
    let script = "ulimit -n 64; exec \"$0\" serve --port 0 --page-port 0";
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_lab")])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("sh runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let [service, page] = [line(&mut lines).await, line(&mut lines).await].map(|line| {
        let line = line.expect("an address");
        line.split_at(line.find("http://").expect("a URL"))
            .1
            .to_owned()
    });

    let descriptors = format!("/proc/{}/fd", child.id().expect("it runs"));
    // An inherited descriptor may be above the limit.
    let descriptors = || {
        let open = fs::read_dir(&descriptors).expect("it runs").flatten();
        let numbers = open.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        numbers.filter(|number| *number < 64).count()
    };
    let mut silent = Vec::new();
    let all_taken = timeout(PATIENCE, async {
        while descriptors() < 63 {
            let before = descriptors();
            let address = service.trim_start_matches("http://");
            silent.push(TcpStream::connect(address).await.expect("a connection"));
            while descriptors() <= before {
                tokio::task::yield_now().await;
            }
        }
    });
    all_taken.await.expect("all descriptors but one");
    let browser = Browser::of(&page);
    // The page has no connection to close but this one, which is in use.
    let _events = browser.listen(None).await;
    let response = timeout(PATIENCE, browser.get("/")).await;

    assert_eq!(response.expect("a response").status, StatusCode::OK);
}

#[tokio::test]
async fn a_port_in_use_is_named_with_another_command() {
    let holder = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let taken = holder.local_addr().expect("an address").port().to_string();

    for (option, other) in [("--port", "--page-port"), ("--page-port", "--port")] {
        let output = lab(&[option, &taken, other, "0"])
            .output()
            .await
            .expect("lab runs");

        assert_eq!(output.status.code(), Some(3));
        assert!(output.stdout.is_empty());
        assert_eq!(
            String::from_utf8(output.stderr).expect("UTF-8"),
            format!(
                "error: port {taken} on 127.0.0.1 is in use; choose another with {option}, \
                 or {option} 0 for a free one\n"
            )
        );
    }
}

#[tokio::test]
async fn the_files_of_the_page_can_come_from_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("index.html"), "another page").expect("a file");
    let assets = folder.path().to_str().expect("UTF-8");
    let (_child, mut lines) = start(&["--port", "0", "--page-port", "0", "--assets", assets]).await;
    line(&mut lines).await;
    let page = line(&mut lines).await.expect("the page");
    let browser = Browser::of(page.strip_prefix("Web UI started at ").expect("an address"));

    let page = browser.get("/").await;
    let script = browser.get("/assets/app.js").await;

    assert_eq!(page.text(), "another page");
    // This file does not exist in the folder, and the binary's copy is not used.
    assert_eq!(script.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_folder_without_the_page_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for folder in [folder.path().to_owned(), folder.path().join("missing")] {
        let assets = folder.to_str().expect("UTF-8");

        let output = lab(&["--port", "0", "--page-port", "0", "--assets", assets]).output();

        let output = timeout(PATIENCE, output).await.expect("a prompt end");
        let output = output.expect("lab runs");
        assert_eq!(output.status.code(), Some(3));
        assert!(output.stdout.is_empty());
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        let start = format!("error: {assets} does not contain the web UI: ");
        assert!(error.starts_with(&start), "{error}");
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
    let nobody = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let receiver = format!("http://{}", nobody.local_addr().expect("an address"));
    drop(nobody);
    let mut child = lab(&["--port", "0", "--page-port", "0", "--otlp", &receiver])
        .env("RUST_LOG", "server=info,client=info")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lab runs");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let service = line(&mut stdout).await.expect("the service");
    let service = service
        .strip_prefix("Teaching API started at ")
        .expect("an address");
    let page = line(&mut stdout).await.expect("the page");
    let page = page.strip_prefix("Web UI started at ").expect("an address");

    Browser::of(service).get("/no-content").await;
    line_with(&mut stderr, "/no-content").await;
    Browser::of(page).run_scenario("flaky").await;

    line_with(&mut stderr, "/flaky").await;
    line_with(&mut stderr, "warning: the run was not exported to ").await;
}
