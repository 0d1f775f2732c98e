//! The texts for each kind of decision, step by step and in short.

use super::*;
use crate::trace::{FieldValue, SpanId, TraceId};

fn decision(name: SpanName, fields: &[(&'static str, FieldValue)]) -> Decision {
    let span = Span {
        id: SpanId::from_hex("0000000000000001").expect("an id"),
        parent: None,
        trace_id: TraceId::from_hex("00000000000000000000000000000001").expect("an id"),
        name,
        start: Duration::ZERO,
        end: Some(Duration::ZERO),
        fields: fields.iter().cloned().collect(),
    };
    Decision::of(&span).expect("a decision")
}

fn word(word: &str) -> FieldValue {
    FieldValue::Str(word.into())
}

const fn seconds(seconds: f64) -> FieldValue {
    FieldValue::F64(seconds)
}

/// The inputs of a GET whose first attempt of three got a 503.
fn inputs() -> Vec<(&'static str, FieldValue)> {
    vec![
        (field::RETRY_REASON, word("503")),
        (field::METHOD, word("GET")),
        (field::ALLOWED_BY, word("method")),
        (field::RETRY_AFTER, word("none")),
        (field::RETRY_AFTER_MAX, seconds(30.0)),
        (field::ATTEMPT, FieldValue::I64(1)),
        (field::MAX_ATTEMPTS, FieldValue::I64(3)),
    ]
}

/// The texts with these fields in place of those of [`inputs`].
fn said(name: SpanName, fields: &[(&'static str, FieldValue)]) -> (String, String) {
    let decision = decision(name, &[inputs(), fields.to_vec()].concat());
    (decision.steps().join(" → "), decision.in_short())
}

#[test]
fn a_wait_names_its_upper_bound_or_who_asked_for_it() {
    let backoff = (field::WAIT_SOURCE, word("backoff"));
    let asked = (field::WAIT_SOURCE, word("retry_after"));
    let length = |length| (field::WAIT_SECONDS, seconds(length));
    let valid = (field::RETRY_AFTER, word("valid"));
    let of = |asked| (field::RETRY_AFTER_SECONDS, seconds(asked));
    let ceiling = (field::WAIT_CEILING, seconds(0.2));
    for (fields, steps, short) in [
        (
            vec![backoff.clone(), length(0.059), ceiling.clone()],
            "503 → GET may be repeated → no Retry-After → attempt 1 of 3 → \
             drew 59 ms of at most 200 ms",
            "backoff, at most 200 ms",
        ),
        (
            vec![
                backoff.clone(),
                length(0.059),
                ceiling,
                (field::RETRY_AFTER, word("unusable")),
                (field::REMAINING, seconds(4.5)),
                (field::TOKENS, seconds(9.1)),
            ],
            "503 → GET may be repeated → Retry-After is unusable → attempt 1 of 3 → \
             4.5 s left until the deadline → retry budget 9.1 tokens → \
             drew 59 ms of at most 200 ms",
            "backoff, Retry-After unusable",
        ),
        (
            vec![backoff, length(0.0)],
            "503 → GET may be repeated → no Retry-After → attempt 1 of 3 → its policy waits 0 ms",
            "backoff",
        ),
        (
            vec![asked.clone(), length(2.0), valid.clone(), of(2.0)],
            "503 → GET may be repeated → Retry-After 2 s, 30 s allowed → attempt 1 of 3 → \
             waits 2 s, as asked",
            "Retry-After",
        ),
        (
            vec![asked.clone(), length(2.5), valid.clone(), of(2.0)],
            "503 → GET may be repeated → Retry-After 2 s, 30 s allowed → attempt 1 of 3 → \
             waits 2.5 s: as asked, plus a random 500 ms",
            "Retry-After",
        ),
        (
            vec![
                asked.clone(),
                length(0.0),
                (field::RETRY_AFTER, word("past_date")),
                of(0.0),
            ],
            "503 → GET may be repeated → Retry-After is a date that has passed → attempt 1 of 3 → \
             retries at once",
            "Retry-After is a past date",
        ),
        (
            vec![asked, length(0.0), valid, of(0.0)],
            "503 → GET may be repeated → Retry-After asks for no wait → attempt 1 of 3 → \
             retries at once",
            "Retry-After asks for no wait",
        ),
    ] {
        assert_eq!(
            said(SpanName::Wait, &fields),
            (steps.to_owned(), short.to_owned())
        );
    }
}

#[test]
fn a_stop_names_its_reason_and_the_inputs_before_it() {
    let stop = |why| (field::STOP_REASON, word(why));
    let valid = (field::RETRY_AFTER, word("valid"));
    let of = |asked| (field::RETRY_AFTER_SECONDS, seconds(asked));
    for (fields, steps, short) in [
        (
            vec![stop("tls"), (field::RETRY_REASON, word("tls"))],
            "the TLS handshake failed → another attempt would fail too",
            "TLS would fail again",
        ),
        (
            vec![stop("not_eligible"), (field::METHOD, word("POST"))],
            "503 → POST must not be repeated without permission",
            "this POST is not repeated",
        ),
        (
            vec![stop("not_eligible")],
            "503 → this GET must not be repeated",
            "this GET is not repeated",
        ),
        (
            vec![
                stop("body_is_stream"),
                (field::METHOD, word("POST")),
                (field::ALLOWED_BY, word("permission")),
            ],
            "503 → this POST has permission to be repeated → \
             its body is a stream, which cannot be sent twice",
            "this POST is not repeated",
        ),
        (
            vec![stop("retry_after_over_budget"), valid.clone(), of(120.0)],
            "503 → GET may be repeated → Retry-After 120 s > 30 s allowed",
            "Retry-After 120 s > 30 s allowed",
        ),
        (
            // More seconds than a `Duration` can represent.
            vec![stop("retry_after_over_budget"), valid.clone(), of(2e19)],
            "503 → GET may be repeated → Retry-After too long to represent > 30 s allowed",
            "Retry-After too long to represent > 30 s allowed",
        ),
        (
            vec![
                stop("attempts_exhausted"),
                (field::ATTEMPT, FieldValue::I64(3)),
            ],
            "503 → GET may be repeated → no Retry-After → attempt 3 of 3",
            "all 3 attempts used",
        ),
        (
            vec![stop("attempts_exhausted")],
            "503 → GET may be repeated → no Retry-After → attempt 1 of 3 → \
             its policy allows no retry",
            "its policy allows no retry",
        ),
        (
            vec![
                stop("deadline"),
                valid,
                of(10.0),
                (field::STOP_WAIT, seconds(10.0)),
                (field::REMAINING, seconds(5.0)),
            ],
            "503 → GET may be repeated → Retry-After 10 s, 30 s allowed → attempt 1 of 3 → \
             a wait of 10 s, and 5 s left",
            "a wait of 10 s, and 5 s left",
        ),
        (
            vec![stop("retry_budget_empty"), (field::TOKENS, seconds(0.4))],
            "503 → GET may be repeated → no Retry-After → attempt 1 of 3 → \
             retry budget 0.4 tokens, and a retry takes 1",
            "retry budget 0.4 tokens",
        ),
    ] {
        assert_eq!(
            said(SpanName::Stop, &fields),
            (
                format!("{steps} → returned to the caller"),
                short.to_owned()
            )
        );
    }
}

#[test]
fn only_recorded_inputs_are_named() {
    let wait = decision(SpanName::Wait, &[(field::WAIT_SECONDS, seconds(1.0))]);
    let stop = decision(SpanName::Stop, &[(field::STOP_REASON, word("silence"))]);

    assert_eq!(wait.steps(), ["its policy waits 1 s"]);
    let silence = "no timeout of its own, so the lab closed the connection";
    assert_eq!(stop.steps(), [silence, "returned to the caller"]);
}
