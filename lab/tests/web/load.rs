//! `lab load` as a person types it, against a `lab serve` of its own.

use std::{
    io::Write,
    net::TcpListener,
    process::{Output, Stdio},
    thread,
};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::{
    command::{line, start},
    support::PATIENCE,
};

pub(crate) fn load(page: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command
        .args(["load", "--page", page])
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A server on free ports, its service, and its page.
pub(crate) async fn serve() -> (Child, String, String) {
    let (child, mut lines) = start(&["--port", "0", "--page-port", "0"]).await;
    let mut address = async |before| {
        let line = line(&mut lines).await.expect("an address");
        line.strip_prefix(before).expect(before).to_owned()
    };
    let service = address("Teaching API started at ").await;
    let page = address("Web UI started at ").await;
    (child, service, page)
}

async fn output(mut command: Command) -> Output {
    let output = timeout(PATIENCE, command.output()).await;
    output.expect("an end in time").expect("lab runs")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[tokio::test]
async fn runs_what_was_asked_for_and_sums_it_up() {
    let (_server, _, page) = serve().await;

    let output = output(load(
        &page,
        &["--seconds", "1", "--rate", "10", "--seed", "7"],
    ))
    .await;

    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    for part in [
        "\nruns      10 asked for, 10 completed, 10 as expected\n",
        "\nrate      10 a second asked for, ",
        "\nseed      7\n",
    ] {
        assert!(out.contains(part), "{part:?} is missing in\n{out}");
    }
    for line in out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // Neither is a terminal, so there is no bar and no colour.
    let first_line = format!("10 runs in 1 s at {page}; Ctrl+C stops them\n");
    assert_eq!(err, first_line);
    assert!(!out.contains('\u{1b}'));
}

#[tokio::test]
async fn one_seed_is_one_mix() {
    let (_server, _, page) = serve().await;
    let arguments = [
        "--seconds",
        "1",
        "--rate",
        "10",
        "--seed",
        "9",
        "--filter",
        "i",
    ];
    // How many attempts a run takes is up to the machine where it has a timeout.
    let mix = |output: &Output| {
        let text = text(&output.stdout);
        let rows = text.lines().take_while(|line| !line.is_empty());
        let mix = rows.map(|row| row.split_whitespace().take(2).map(str::to_owned).collect());
        mix.collect::<Vec<Vec<_>>>()
    };

    let once = output(load(&page, &arguments)).await;
    let again = output(load(&page, &arguments)).await;

    assert!(mix(&once).len() > 1, "{once:?}");
    assert_eq!(mix(&once), mix(&again));
}

#[tokio::test]
async fn where_nobody_listens_it_says_what_to_type() {
    let nobody = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let page = format!("http://{}", nobody.local_addr().expect("an address"));
    drop(nobody);

    let output = output(load(&page, &[])).await;

    assert_eq!(output.status.code(), Some(3));
    assert!(output.stdout.is_empty());
    let expected = format!("error: nobody listens at {page}; type: lab serve\n");
    assert_eq!(text(&output.stderr), expected);
}

/// A server that sends these bytes on each connection.
fn imposter(response: &'static [u8]) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let page = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            // Whoever hangs up early has seen enough.
            let _ = stream.write_all(response);
        }
    });
    page
}

#[tokio::test]
async fn what_is_not_the_page_is_not_taken_for_it() {
    let (_server, service, _) = serve().await;
    let mut strangers = vec![service];
    for response in [
        &b"SSH-2.0-OpenSSH_9.6\r\n"[..],
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi",
        b"HTTP/1.1 302 Found\r\nlocation: http://evil.example/\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n{\"length\":\"x\"}\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n",
    ] {
        strangers.push(imposter(response));
    }

    for page in strangers {
        let output = output(load(&page, &[])).await;

        assert_eq!(output.status.code(), Some(3), "{page}");
        assert!(output.stdout.is_empty());
        assert_eq!(
            text(&output.stderr),
            format!(
                "error: what responds at {page} is not the web UI of this `lab serve`; give the \
                 address that it printed as --page\n"
            )
        );
    }
}

/// A load that has begun.
async fn begun(page: &str) -> Child {
    let mut child = load(page, &["--seconds", "600", "--rate", "20"])
        .spawn()
        .expect("lab runs");
    let stderr = child.stderr.as_mut().expect("a pipe");
    let mut lines = BufReader::new(stderr).lines();
    let line = timeout(PATIENCE, lines.next_line()).await;
    let line = line.expect("a line in time").expect("a line");
    assert!(line.expect("a line").contains("Ctrl+C"));
    child
}

async fn ended(child: Child) -> Output {
    let ended = timeout(PATIENCE, child.wait_with_output()).await;
    ended.expect("an end in time").expect("a status")
}

#[tokio::test]
async fn a_second_load_is_told_of_the_first() {
    let (_server, _, page) = serve().await;
    let _first = begun(&page).await;

    let second = output(load(&page, &[])).await;

    assert_eq!(second.status.code(), Some(3));
    assert_eq!(
        text(&second.stderr),
        format!(
            "error: a load goes on at {page} already; wait for its end, or stop it where it was \
             started\n"
        )
    );
}

#[cfg(unix)]
async fn signal(child: &Child, signal: &str) {
    let pid = child.id().expect("it runs").to_string();
    let kill = Command::new("kill").args([signal, &pid]).status().await;
    assert!(kill.expect("kill runs").success());
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_ends_it_with_what_was_run_and_the_server_goes_on() {
    let (_server, _, page) = serve().await;
    let first = begun(&page).await;

    signal(&first, "-INT").await;
    let stopped = ended(first).await;
    let next = output(load(
        &page,
        &["--seconds", "1", "--rate", "1", "--filter", "items"],
    ))
    .await;

    let out = text(&stopped.stdout);
    assert_eq!(stopped.status.code(), Some(0), "{out}");
    assert!(out.contains("\nruns      "), "{out}");
    assert_eq!(next.status.code(), Some(0), "{next:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_page_that_never_responds_can_be_given_up() {
    let silent = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
    let silent = silent.expect("a port");
    let page = format!("http://{}", silent.local_addr().expect("an address"));
    let waiting = load(&page, &[]).spawn().expect("lab runs");
    let connection = timeout(PATIENCE, silent.accept()).await;
    let _connection = connection.expect("a call in time").expect("a call");

    // Unlike Ctrl+C, it is never ignored from the start, as in a job of a script.
    signal(&waiting, "-TERM").await;
    let ended = ended(waiting).await;

    // By the signal, and not in the end of its own accord.
    assert_eq!(ended.status.code(), None, "{ended:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_stops_in_the_middle_is_named_after_what_was_run() {
    for how in ["-INT", "-KILL"] {
        let (server, _, page) = serve().await;
        let load = begun(&page).await;

        signal(&server, how).await;
        let broken = ended(load).await;

        let (out, err) = (text(&broken.stdout), text(&broken.stderr));
        assert_eq!(broken.status.code(), Some(3), "{how}: {out}{err}");
        assert!(out.contains("\nruns      "), "{out}");
        assert_eq!(
            err,
            format!(
                "error: `lab serve` at {page} stopped in the middle; what was completed until then \
                 is above\n"
            )
        );
    }
}
