//! What the command `lab` logs, whatever `RUST_LOG` asks for: the real binary.

use std::{
    process::{Command, Output},
    sync::{Arc, Mutex},
};

use client::{IdempotencyKey, JsonObject, ReliableApiClient, SeededRandom};
use server::{ServiceConfig, TeachingApi};

fn lab(scenario: &str, rust_log: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["scenario", scenario, "--pace", "virtual", "--seed", "7"])
        .env("RUST_LOG", rust_log)
        .output()
        .expect("lab runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// The target of a line: what follows the spans it stands in, which the format
/// sets apart with colons.
fn is_of(line: &str, target: &str) -> bool {
    line.contains(&format!(": {target}: "))
}

#[test]
fn nothing_but_our_own_spans_is_logged_whatever_is_asked_for() {
    for directives in [
        "trace",
        "hyper=trace,hyper_util=trace,reqwest=trace,axum=trace,h2=trace,rustls=trace,client=trace,\
         server=trace",
    ] {
        let output = lab("flaky", directives);

        let log = stderr(&output);
        assert_eq!(output.status.code(), Some(0));
        for line in log.lines() {
            let ours = ["client", "lab", "server"].iter().any(|it| is_of(line, it));
            assert!(ours && line.contains(" INFO "), "{line}");
        }
        let count = |what: &str| log.lines().filter(|line| line.contains(what)).count();
        assert_eq!(count(" client: close"), 1 + 3 + 2, "{log}");
        assert_eq!(count(" server: close"), 3, "{log}");
    }
}

#[test]
fn directives_for_other_crates_alone_log_nothing() {
    let output = lab(
        "flaky",
        "hyper=trace,hyper_util=trace,reqwest=trace,axum=trace",
    );

    assert_eq!(stderr(&output), "");
}

#[test]
fn logging_changes_nothing_in_the_run() {
    let (silent, loud) = (lab("flaky", ""), lab("flaky", "trace"));

    assert_eq!(stderr(&silent), "");
    assert_ne!(stderr(&loud), "");
    assert_eq!(loud.stdout, silent.stdout);
}

/// What the seed makes that no log may show: the cursor that the service hands
/// out, and the key that the client draws.
async fn secrets_of_seed_7() -> [String; 2] {
    let sent = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&sent);
    let config = ServiceConfig::builder()
        .port(0)
        .seed(7)
        .on_request_span(move |_, headers| {
            if let Some(key) = headers.get(IdempotencyKey::HEADER) {
                let key = key.to_str().expect("ASCII");
                key.clone_into(&mut heard.lock().expect("not poisoned"));
            }
        });
    let service = TeachingApi::start(config.build().expect("valid")).expect("it starts");
    let client = ReliableApiClient::builder(&service.base_url())
        .random(Arc::new(SeededRandom::new(7)))
        .build()
        .expect("valid");

    let key = client.new_idempotency_key();
    let job = client.create_job(&key, &JsonObject::new()).await;
    let page = client.items().pages().next_page().await;
    service.stop().await.expect("it stops");

    job.expect("a job");
    let page = page.expect("a page").expect("a good one");
    let cursor = page.next_cursor.expect("a cursor").as_str().to_owned();
    let key = sent.lock().expect("not poisoned").clone();
    [cursor, key]
}

#[tokio::test]
async fn no_cursor_key_query_or_body_is_logged() {
    let [cursor, key] = secrets_of_seed_7().await;
    assert!(!cursor.is_empty() && !key.is_empty());

    for scenario in ["items", "replay", "conflict", "lost-response"] {
        let log = stderr(&lab(scenario, "trace"));

        assert!(log.contains("client: close"), "{log}");
        for secret in [&cursor, &key, "cursor=", "limit=", "resize", "?", "http:"] {
            assert!(!log.contains(secret), "{scenario} logs {secret}: {log}");
        }
    }
}

#[test]
fn directives_that_cannot_be_read_cost_one_line_and_no_scenario() {
    let output = lab("flaky", "client=loud");

    let warning = stderr(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert!(
        warning.starts_with("warning: RUST_LOG is ignored, since \"client=loud\" cannot be read: "),
        "{warning}"
    );
}
