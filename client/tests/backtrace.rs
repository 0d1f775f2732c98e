//! An error that the client makes itself captures no stack, which would cost it many times
//! its own work where `RUST_BACKTRACE` is set.
//!
//! The standard library reads that variable once, so this has a process of its own.

use std::{backtrace::BacktraceStatus, env, process::Command};

use client::{Failure, FailureKind, RetryMiddleware};
use reqwest_middleware::{ClientBuilder, Error};

use crate::bench::{NOWHERE, Reply};
use crate::support::{quiet_session, scripted::scripted};

/// Whether an error has a stack.
fn has_a_stack(error: &Error) -> bool {
    match error {
        Error::Middleware(error) => error.backtrace().status() == BacktraceStatus::Captured,
        Error::Reqwest(_) => false,
    }
}

#[tokio::test]
#[ignore = "needs its environment; the test below runs it in a process of its own"]
async fn errors_in_a_process_that_captures_stacks() {
    let foreign = Error::middleware(std::io::Error::other("foreign"));
    assert!(has_a_stack(&foreign), "nothing is captured here");

    for kind in FailureKind::ALL {
        let error = Error::from(Failure(kind));

        assert!(!has_a_stack(&error), "{kind:?}");
        assert_eq!(FailureKind::of(&error), kind);
    }
    let transport = scripted(async |_| -> Result<Reply, _> { panic!("nothing is to be sent") });
    let refused = RetryMiddleware::new().max_attempts(0);
    let stack = ClientBuilder::new(quiet_session())
        .with(refused)
        .with(transport);
    let error = stack
        .build()
        .get(NOWHERE)
        .send()
        .await
        .expect_err("refused");
    assert!(!has_a_stack(&error), "{error:?}");
}

#[test]
fn an_error_of_the_client_captures_no_stack() {
    let output = Command::new(env::current_exe().expect("this program"))
        .args(["--ignored", "--exact"])
        .arg("backtrace::errors_in_a_process_that_captures_stacks")
        .env("RUST_BACKTRACE", "1")
        .output()
        .expect("this program runs");

    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}
