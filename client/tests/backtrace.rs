//! An error that the client makes itself captures no stack, which would cost it many times
//! its own work where `RUST_BACKTRACE` is set.
//!
//! The standard library reads that variable once, so this has a process of its own.

use std::{backtrace::BacktraceStatus, env, process::Command};

use client::{Failure, FailureKind};
use reqwest_middleware::Error;

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
