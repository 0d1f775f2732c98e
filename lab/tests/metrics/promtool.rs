//! Prometheus's own check of `/metrics`.
//!
//! The test is ignored, since it needs `promtool` (on Debian and Ubuntu in the
//! package `prometheus`):
//!
//! ```sh
//! cargo test -p lab --test metrics -- --ignored
//! ```

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use crate::{both_sides::BothSides, course::CourseRuns};

fn check_metrics(exposition: &str) -> Output {
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is installed");
    let mut stdin = promtool.stdin.take().expect("a pipe");
    stdin.write_all(exposition.as_bytes()).expect("it reads");
    drop(stdin);
    promtool.wait_with_output().expect("it ends")
}

fn assert_nothing_to_say(exposition: &str) {
    let output = check_metrics(exposition);

    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!((output.status.code(), &*said), (Some(0), ""));
}

#[tokio::test]
#[ignore = "needs promtool"]
async fn promtool_accepts_the_metrics_after_every_call() {
    let both = BothSides::start();
    both.meet_every_endpoint().await;

    assert_nothing_to_say(&both.scrape().await);

    both.stop().await;
}

#[tokio::test]
#[ignore = "needs promtool"]
async fn promtool_accepts_the_metrics_after_the_whole_course() {
    let course = CourseRuns::new().await;

    let scrape = String::from_utf8(course.scrape("identity").await);

    assert_nothing_to_say(&scrape.expect("text"));
    course.stop().await;
}
