//! `--ask`: a prediction, a hint, or nothing on stdin.

use crate::{Ended, assert_contains, lab_reading};

const QUESTION: &str = "How many requests will the service see, and what happens between them?\n";

fn ask(input: &[u8]) -> Ended {
    let ended = lab_reading("scenario flaky --ask --pace virtual --seed 1", input);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

#[test]
fn shows_the_prediction_above_the_outcome_and_the_question_on_stderr() {
    let ended = ask(b"  four, at once \nmore\n");

    let question = format!("{QUESTION}Your prediction (? for a hint): \n");
    assert_eq!(ended.stderr, question);
    assert!(ended.stdout.starts_with("flaky — "), "{}", ended.stdout);
    let predicted = "\npredicted four, at once\noutcome   ok, attempt = 3\n";
    assert_contains(&ended.stdout, &[predicted]);
}

#[test]
fn a_question_mark_shows_the_hint() {
    let ended = ask(b"?\nthree\n");

    let hint = "It takes three calls to get a response, and clients that fail together come back\n\
                together.\n";
    assert_contains(&ended.stderr, &[hint]);
    assert!(ended.stderr.ends_with("Your prediction: \n"));
    assert_contains(&ended.stdout, &["predicted three\n"]);
}

#[test]
fn an_empty_line_and_the_end_of_the_input_are_no_prediction() {
    for input in ["", "\n", "?", "?\n \n"] {
        let ended = ask(input.as_bytes());

        assert!(!ended.stdout.contains("predicted"), "{input:?}");
    }
}

#[test]
fn what_is_typed_cannot_steer_the_terminal() {
    let ended = ask(b"\x1b[2Jthree\xff\n");

    assert_contains(&ended.stdout, &["predicted ?[2Jthree\u{fffd}\n"]);
}
