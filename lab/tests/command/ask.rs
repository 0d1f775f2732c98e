//! `--ask`: a prediction, a hint, or nothing on stdin.

use crate::command::{assert_contains, lab_reading};

#[test]
fn an_invalid_answer_is_asked_again_and_a_prediction_is_judged() {
    let ended = lab_reading(
        "scenario flaky --ask --pace virtual --seed 1",
        b"?\nthree\n  2 \nmore\n",
    );

    let asked = "\
Two requests get a 503, the third would succeed. How many requests will the
service see?
(GET /flaky, up to 3 attempts, backoff 200 ms–5 s, full jitter, Retry-After up
to 30 s)
Your prediction, a number of requests (? for a hint): 
A GET changes nothing, so a client may send it again while it has attempts left.
Your prediction, a number of requests: 
warning: type a whole number
Your prediction, a number of requests: 
";
    assert_eq!(ended.stderr, asked);
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.starts_with("flaky — "), "{}", ended.stdout);
    let verdict = "\n✗ predicted: 2 requests; the answer: 3 requests\n";
    assert_contains(&ended.stdout, &[verdict]);
}

#[test]
fn the_end_of_the_input_skips_the_prediction() {
    let ended = lab_reading("scenario flaky --ask --pace virtual", b"\x1b[2Jthree\n");

    assert_eq!(ended.code, Some(0));
    assert!(!ended.stdout.contains("predicted"), "{}", ended.stdout);
    assert!(!ended.stderr.contains('\x1b'), "{}", ended.stderr);
}

#[test]
fn a_comparison_is_predicted_for_the_reliable_client_by_a_letter() {
    let asked = "scenario retry-after-seconds --ask --compare --pace virtual --seed 1";

    let ended = lab_reading(asked, b"B\n");

    let choices = "  a  sooner than in two seconds\n  b  after two seconds\n  c  never: ";
    let asked = "\nPredict the run of the reliable client.\n";
    let prompt = "Your prediction, a/b/c (? for a hint): ";
    assert_contains(&ended.stderr, &[choices, asked, prompt]);
    let answers = "✓ predicted: after two seconds, correct: ";
    assert_contains(&ended.stdout, &[answers]);
}
