//! The address of an export, and the consequences of a failed one.

use std::{process::Output, time::Duration};

use axum::http::StatusCode;
use testkit::process::signal;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
    time::Instant,
};

use super::{
    ENDPOINT, TRACES_ENDPOINT, lab,
    receiver::{Receiver, Reply},
    stderr,
};
use crate::program;

/// The one line that a run which succeeds prints on stderr.
fn warning(output: &Output) -> String {
    let warning = stderr(output);
    assert_eq!(output.status.code(), Some(0), "{warning}");
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert!(!output.stdout.is_empty());
    warning
}

#[tokio::test]
async fn a_receiver_that_is_down_causes_one_warning() {
    let bound = host::refusing_port().expect("a free port");
    let address = bound.local_addr().expect("an address");

    let base = format!("http://{address}/SECRET");
    let output = lab(&["flaky", "--otlp", &base], &[]).await;

    let warning = warning(&output);
    let expected = format!("warning: the run was not exported to {address}: ");
    assert!(warning.starts_with(&expected), "{warning}");
    assert!(!warning.contains("SECRET"), "{warning}");
}

#[tokio::test]
async fn a_rejected_export_is_not_repeated_and_causes_one_warning() {
    let receiver = Receiver::responding(StatusCode::BAD_REQUEST).await;

    let output = lab(&["flaky", "--otlp", &receiver.base], &[]).await;

    let warning = warning(&output);
    assert!(
        warning.contains(": 400 Bad Request (1 attempt)"),
        "{warning}"
    );
    assert_eq!(receiver.paths(), ["/v1/traces"]);
}

#[tokio::test]
async fn an_export_is_repeated_after_exactly_the_retry_after_until_it_arrives() {
    let busy = Reply {
        status: StatusCode::SERVICE_UNAVAILABLE,
        retry_after: Some(1),
        ..Reply::default()
    };
    let receiver = Receiver::replying(vec![busy.clone(), busy, Reply::default()]).await;
    let started = Instant::now();

    let output = lab(&["flaky", "--otlp", &receiver.base], &[]).await;

    assert_eq!(stderr(&output), "");
    assert!(started.elapsed() >= Duration::from_secs(2));
    assert_eq!(receiver.paths().len(), 3);
}

#[tokio::test]
async fn a_receiver_that_stays_busy_is_given_up() {
    // A wait that the deadline has no time for is not begun.
    for (retry_after, attempts) in [(None, 5), (Some(11), 1)] {
        let busy = Reply {
            status: StatusCode::SERVICE_UNAVAILABLE,
            retry_after,
            ..Reply::default()
        };
        let receiver = Receiver::replying(vec![busy]).await;

        let output = lab(&["flaky", "--otlp", &receiver.base], &[]).await;

        let warning = warning(&output);
        assert!(warning.contains("503 Service Unavailable"), "{warning}");
        assert_eq!(receiver.paths().len(), attempts, "{warning}");
    }
}

#[tokio::test]
async fn a_partial_success_is_reported_and_not_repeated() {
    let message = "\"errorMessage\":\"too many\\nspans\"";
    let reply = Reply {
        body: format!("{{\"partialSuccess\":{{\"rejectedSpans\":\"2\",{message}}}}}"),
        ..Reply::default()
    };
    let receiver = Receiver::replying(vec![reply]).await;

    let output = lab(&["flaky", "--otlp", &receiver.base], &[]).await;

    let warning = warning(&output);
    let said = "the receiver rejected 2 spans: too many spans";
    assert!(warning.contains(said), "{warning}");
    assert_eq!(receiver.paths().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_flushes_the_export_of_a_run_in_lab_serve() {
    let slow = Reply {
        takes: Duration::from_secs(1),
        ..Reply::default()
    };
    let receiver = Receiver::replying(vec![slow]).await;
    let ports = ["serve", "--port", "0", "--page-port", "0"];
    let mut serve = Command::from(program::lab())
        .args(ports)
        .args(["--otlp", &receiver.base])
        .kill_on_drop(true)
        .spawn()
        .expect("lab runs");
    let mut lines = BufReader::new(serve.stdout.take().expect("a pipe")).lines();
    let page = loop {
        let line = lines.next_line().await.expect("a line");
        let line = line.expect("an address");
        if let Some((_, page)) = line.split_once("Web UI started at ") {
            break page.to_owned();
        }
    };
    let live = ["flaky", "--live", "--page", &page];
    let run = lab(&live, &[]).await;
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));

    signal(serve.id().expect("it runs"), "INT");
    let ended = serve.wait_with_output().await.expect("an end");

    assert_eq!(stderr(&ended), "");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(receiver.paths(), ["/v1/traces"]);
}

#[tokio::test]
async fn the_option_for_the_receiver_overrides_the_environment() {
    let [base, traces, option] = [
        Receiver::responding(StatusCode::OK).await,
        Receiver::responding(StatusCode::OK).await,
        Receiver::responding(StatusCode::OK).await,
    ];
    let at = format!("{}/in/as?it=is", traces.base);
    let variables = [(ENDPOINT, base.base.as_str()), (TRACES_ENDPOINT, &at)];

    lab(&["items"], &variables[..1]).await;
    lab(&["items"], &variables).await;
    lab(&["items", "--otlp", &option.base], &variables).await;
    lab(&["items"], &[(ENDPOINT, ""), (TRACES_ENDPOINT, "")]).await;

    assert_eq!(base.paths(), ["/v1/traces"]);
    assert_eq!(traces.paths(), ["/in/as?it=is"]);
    assert_eq!(option.paths(), ["/v1/traces"]);
}

#[tokio::test]
async fn the_headers_in_the_environment_are_sent() {
    let receiver = Receiver::responding(StatusCode::OK).await;
    let variables = [("OTEL_EXPORTER_OTLP_HEADERS", "x-scope-orgid=lab")];

    lab(&["items", "--otlp", &receiver.base], &variables).await;

    let received = receiver.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].headers["x-scope-orgid"], "lab");
}

#[tokio::test]
async fn a_course_tries_a_failing_receiver_once() {
    let failing = Receiver::responding(StatusCode::FORBIDDEN).await;

    let failed = lab(&["all", "--otlp", &failing.base], &[]).await;

    warning(&failed);
    assert_eq!(failing.paths().len(), 1);
}
