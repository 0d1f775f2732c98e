//! `lab load` as a person types it, against its own `lab serve`.

use std::process::Output;

use testkit::PATIENCE;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

use crate::web::{
    command::{lab_with, output, signal, text},
    support::serve,
};

pub(crate) fn load(page: &str, arguments: &[&str]) -> Command {
    lab_with("load", &[&["--page", page], arguments].concat())
}

#[tokio::test]
async fn a_load_posts_runs_and_counts_what_came_back() {
    let (_web_ui, browser) = serve().await;

    let options = ["--seconds", "1", "--rate", "10", "--seed", "7"];
    let output = output(load(browser.url(), &options)).await;

    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    for part in [
        "runs  10 asked for, 10 completed, 10 as expected\n",
        "\nseed  7\n",
    ] {
        assert!(out.contains(part), "{part:?} is missing in\n{out}");
    }
    for line in out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // Neither is a terminal, so there are no progress bar and no colours.
    let first_line = format!(
        "10 runs in 1 s; watch them at {}/metrics-view; Ctrl+C stops them\n",
        browser.url()
    );
    assert_eq!(err, first_line);
    assert!(!out.contains('\u{1b}'));
}

/// The service is the address that is most easily taken for that of the page.
#[tokio::test]
async fn another_server_is_not_taken_for_the_page() {
    let (web_ui, _) = serve().await;
    let page = web_ui.service_url();

    let output = output(load(&page, &[])).await;

    assert_eq!(output.status.code(), Some(3), "{page}");
    assert!(output.stdout.is_empty());
    assert_eq!(
        text(output.stderr),
        format!(
            "error: the server at {page} is not the web UI of this `lab serve`; set --page \
             to the address that it printed\n"
        )
    );
}

/// A running load.
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

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_ends_a_load_with_its_summary() {
    let (_web_ui, browser) = serve().await;
    let load = begun(browser.url()).await;

    signal(&load, "INT");
    let stopped = ended(load).await;

    let out = text(stopped.stdout);
    assert_eq!(stopped.status.code(), Some(0), "{out}");
    assert!(out.starts_with("runs  "), "{out}");
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

    // Unlike SIGINT, it is never ignored from the start, as in a script's background job.
    signal(&waiting, "TERM");
    let ended = ended(waiting).await;

    // It ended by the signal, and not regularly.
    assert_eq!(ended.status.code(), None, "{ended:?}");
}

#[tokio::test]
async fn a_load_interrupted_by_its_server_prints_the_summary_and_an_error() {
    let (web_ui, browser) = serve().await;
    let load = begun(browser.url()).await;

    web_ui.stop().await.expect("nothing left behind");
    let broken = ended(load).await;

    let (out, err) = (text(broken.stdout), text(broken.stderr));
    assert_eq!(broken.status.code(), Some(3), "{out}{err}");
    assert!(out.starts_with("runs  "), "{out}");
    assert_eq!(
        err,
        format!(
            "error: `lab serve` at {} stopped during the load; the runs completed before that \
             are above\n",
            browser.url()
        )
    );
}
