//! Prometheus's own check of `/metrics`.
//!
//! The test is ignored, since it needs `promtool` (on Debian and Ubuntu in the
//! package `prometheus`):
//!
//! ```sh
//! cargo test -p lab --test lab metrics:: -- --ignored
//! ```

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::metrics::{both_sides::BothSides, course::after_the_course, scrape};

fn assert_nothing_to_say(exposition: &[u8]) {
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is installed");
    let mut stdin = promtool.stdin.take().expect("a pipe");
    stdin.write_all(exposition).expect("it reads");
    drop(stdin);

    let output = promtool.wait_with_output().expect("it ends");

    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!((output.status.code(), &*said), (Some(0), ""));
}

#[tokio::test]
#[ignore = "needs promtool"]
async fn promtool_accepts_the_metrics_after_every_call_and_after_the_whole_course() {
    let both = BothSides::start();
    both.meet_every_endpoint().await;
    assert_nothing_to_say(both.scrape().await.as_bytes());
    both.stop().await;

    let (_, course) = after_the_course().await;
    assert_nothing_to_say(&scrape(&course, "identity").await);
    course.stop().await.expect("nothing left behind");
}
