//! `--ask`: a prediction, a hint, or nothing on stdin.

use crate::command::{Ended, assert_contains, lab_reading};

const QUESTION: &str = "\
Two requests get a 503, the third would succeed. How many requests will the
service see?
(GET /flaky, up to 3 attempts, backoff 200 ms–5 s, full jitter, Retry-After up
to 30 s)
";

const PROMPT: &str = "Your prediction, a number of requests";

fn ask(input: &[u8]) -> Ended {
    let ended = lab_reading("scenario flaky --ask --pace virtual --seed 1", input);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

#[test]
fn a_prediction_is_checked_and_explained() {
    let right = ask(b"  3 \nmore\n");
    let wrong = ask(b"2\n");

    let question = format!("{QUESTION}{PROMPT} (? for a hint): \n");
    assert_eq!(right.stderr, question);
    assert!(right.stdout.starts_with("flaky — "), "{}", right.stdout);
    assert_contains(&right.stdout, &["\n✓ predicted: 3 requests, correct\n"]);
    let did_not = "\n✗ predicted: 2 requests; the answer: 3 requests\n";
    assert_contains(&wrong.stdout, &[did_not]);
}

#[test]
fn choices_are_listed_with_letters() {
    let asked = "scenario retry-after-seconds --ask --pace virtual --seed 1";

    let ended = lab_reading(asked, b"B\n");

    let choices = "  a  sooner than in two seconds\n  b  after two seconds\n  c  never: ";
    assert_contains(
        &ended.stderr,
        &[choices, "Your prediction, a/b/c (? for a hint): "],
    );
    let came_true = "✓ predicted: after two seconds, correct\n";
    assert_contains(&ended.stdout, &[came_true]);
}

#[test]
fn a_question_mark_shows_the_hint_and_an_invalid_answer_is_asked_again() {
    let ended = ask(b"?\nthree\n3\n");

    let hint = "A GET changes nothing, so a client may send it again while it has attempts left.\n";
    let again = format!("warning: type a whole number\n{PROMPT}: \n");
    assert_contains(&ended.stderr, &[hint, &again]);
    assert_contains(&ended.stdout, &["✓ predicted: 3 requests"]);
}

#[test]
fn an_empty_line_or_the_end_of_the_input_skips_the_prediction() {
    for input in ["\n", "?", "\x1b[2Jthree\n"] {
        let ended = ask(input.as_bytes());

        assert!(!ended.stdout.contains("predicted"), "{input:?}");
        assert!(!ended.stderr.contains('\x1b'), "{input:?}");
    }
}

#[test]
fn a_comparison_is_predicted_for_the_reliable_client() {
    let ended = lab_reading(
        "scenario lost-response --ask --compare --pace virtual",
        b"1\n",
    );

    let asked = "\nPredict the run of the reliable client.\n";
    assert_contains(&ended.stderr, &[asked]);
    let answers = "✓ predicted: 1 job, correct for the reliable client; the naive client: 2 jobs\n";
    assert_contains(&ended.stdout, &[answers]);
}

#[test]
fn the_course_keeps_the_score() {
    // `items` and `flaky` are asked first; the others get no prediction.
    let ended = lab_reading("scenario all --ask --seed 7", b"2\n1\n");

    assert_contains(&ended.stderr, &["items: 2 requests, correct."]);
    assert_contains(&ended.stdout, &["1 of 2 predictions came true\n"]);
}
