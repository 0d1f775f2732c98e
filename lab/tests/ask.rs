//! `--ask`, with a reader who types, one who does not, and one who is stuck.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

const QUESTION: &str = "How many requests will the service see, and what happens between them?\n";

fn ask(answer: &[u8], more: &[&str]) -> Output {
    let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args([
            "scenario", "flaky", "--ask", "--pace", "virtual", "--seed", "1",
        ])
        .args(more)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lab runs");
    // Who refuses the question does not read the answer either.
    let _ = lab.stdin.take().expect("a pipe").write_all(answer);
    lab.wait_with_output().expect("lab ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn shows_the_prediction_above_the_outcome() {
    let output = ask(b"  four, at once \nmore\n", &[]);

    let text = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text.contains("\npredicted four, at once\noutcome   ok, attempt = 3\n"),
        "{text}"
    );
}

#[test]
fn puts_the_question_on_stderr_and_the_data_on_stdout() {
    let output = ask(b"three\n", &[]);

    let expected = format!("{QUESTION}Your prediction (? for a hint): \n");
    assert_eq!(text(&output.stderr), expected);
    assert!(output.stdout.starts_with("flaky — ".as_bytes()));
}

#[test]
fn gives_a_hint_to_whoever_asks_for_it() {
    let output = ask(b"?\nthree\n", &[]);

    let stderr = text(&output.stderr);
    assert!(
        stderr.contains(
            "It takes three calls to get a response, and clients that fail together come back\n\
             together.\n"
        ),
        "{stderr}"
    );
    assert!(stderr.ends_with("Your prediction: \n"), "{stderr}");
    assert!(text(&output.stdout).contains("predicted three\n"));
}

#[test]
fn an_empty_line_and_the_end_of_the_input_are_no_prediction() {
    for answer in ["", "\n", "?", "?\n \n"] {
        let output = ask(answer.as_bytes(), &[]);

        assert_eq!(output.status.code(), Some(0), "{answer:?}");
        assert!(!text(&output.stdout).contains("predicted"), "{answer:?}");
    }
}

#[test]
fn what_is_typed_cannot_steer_the_terminal() {
    let output = ask(b"\x1b[2Jthree\xff\n", &[]);

    let text = text(&output.stdout);
    assert!(text.contains("predicted ?[2Jthree\u{fffd}\n"), "{text}");
}

#[test]
fn asks_nobody_who_wants_json() {
    let output = ask(b"three\n", &["--json"]);

    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn asks_about_one_scenario_and_not_about_all() {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["scenario", "all", "--ask"])
        .output()
        .expect("lab runs");

    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: --ask goes with the name of one scenario\n"
    );
}
