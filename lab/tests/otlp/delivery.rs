//! The consequences of an export that fails, and of a lab that stops during one.

use std::time::Duration;

use axum::http::StatusCode;
use lab::{
    otlp::Endpoint,
    web::{Exporters, WebUi, WebUiConfig},
};
use scenario::Overrides;
use serde_json::json;
use tokio::{process::Command, time::Instant};

use super::{
    export, export_flaky,
    receiver::{Receiver, Reply},
    run,
};
use crate::web::support::Browser;

#[tokio::test]
async fn a_receiver_that_is_down_causes_a_warning_without_a_secret() {
    let bound = host::refusing_port().expect("a free port");
    let address = bound.local_addr().expect("an address");
    let run = run("flaky", Overrides::default()).await;

    let sent = export(&run, &format!("http://{address}/SECRET")).await;

    let warning = sent.expect_err("nobody listens");
    let expected = format!("the run was not exported to {address}: ");
    assert!(warning.starts_with(&expected), "{warning}");
    assert!(!warning.contains("SECRET"), "{warning}");
}

#[tokio::test]
async fn a_rejected_export_is_not_repeated() {
    for status in [StatusCode::BAD_REQUEST, StatusCode::INTERNAL_SERVER_ERROR] {
        let receiver = Receiver::responding(status).await;

        let sent = export_flaky(&receiver).await;

        let warning = sent.expect_err("it was rejected");
        let end = format!(": {status} (1 attempt)");
        assert!(warning.ends_with(&end), "{warning}");
        assert_eq!(receiver.paths(), ["/v1/traces"]);
    }
}

#[tokio::test]
async fn a_message_about_an_export_that_was_accepted_is_no_failure() {
    let hint = Reply {
        body: r#"{"partialSuccess":{"errorMessage":"an old attribute"}}"#.to_owned(),
        ..Reply::default()
    };
    let receiver = Receiver::replying(vec![hint]).await;

    assert_eq!(export_flaky(&receiver).await, Ok(()));
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

    let sent = export_flaky(&receiver).await;

    assert_eq!(sent, Ok(()));
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

        let sent = export_flaky(&receiver).await;

        let warning = sent.expect_err("it was busy");
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

    let sent = export_flaky(&receiver).await;

    let warning = sent.expect_err("not all was kept");
    let said = "the receiver rejected 2 spans: too many spans";
    assert!(warning.contains(said), "{warning}");
    assert_eq!(receiver.paths().len(), 1);
}

#[tokio::test]
async fn a_lab_that_stops_flushes_the_exports_of_both_clients() {
    let slow = Reply {
        takes: Duration::from_secs(1),
        ..Reply::default()
    };
    let receiver = Receiver::replying(vec![slow]).await;
    let endpoint = Endpoint::choose(Some(&receiver.base), |_| None).expect("valid");
    let config = WebUiConfig {
        port: 0,
        page_port: 0,
        exporters: Exporters::new(None, endpoint, |error| panic!("{error}")),
        ..WebUiConfig::default()
    };
    let web_ui = WebUi::start(config).await.expect("free ports");
    let browser = Browser::of(&web_ui.page_url());
    let run = json!({ "scenario": "flaky", "pace": "virtual", "client": "compare" });
    let id = browser.begin(&run).await;
    browser.ended(&id).await;

    web_ui.stop().await.expect("nothing left behind");

    assert_eq!(receiver.paths(), ["/v1/traces", "/v1/traces"]);
}

/// A scenario does not fail because of it.
#[tokio::test]
async fn a_course_tries_a_failing_receiver_once() {
    let failing = Receiver::responding(StatusCode::FORBIDDEN).await;

    let course = Command::from(crate::program::lab())
        .args(["scenario", "all", "--otlp", &failing.base])
        .output();
    let course = course.await.expect("lab runs");

    assert_eq!(course.status.code(), Some(0));
    let warning = String::from_utf8_lossy(&course.stderr);
    assert!(warning.starts_with("warning: "), "{warning}");
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert_eq!(failing.paths().len(), 1);
}
