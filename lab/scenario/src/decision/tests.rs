//! The texts for each kind of decision, step by step and in short.

use super::*;
use crate::trace::testing::span;

/// The inputs of a GET whose first attempt of three got a 503.
const INPUTS: &str = "retry.reason='503' http.request.method=GET retry.allowed_by=method \
    retry_after.form=none retry_after.max_seconds=30.0 retry.attempt=1 retry.max_attempts=3";

/// Decisions with these fields in place of those of [`INPUTS`], and the steps and the short
/// text for each.
const DECISIONS: &str = "
    wait wait.source=backoff wait.seconds=0.059 wait.ceiling_seconds=0.2
        503 → GET may be repeated → no Retry-After → attempt 1 of 3 → drew 59 ms of at most 200 ms
        backoff, at most 200 ms
    wait wait.source=backoff wait.seconds=0.059 wait.ceiling_seconds=0.2 \
        retry_after.form=unusable deadline.remaining_seconds=4.5 retry_budget.tokens=9.1
        503 → GET may be repeated → Retry-After is unusable → attempt 1 of 3 → 4.5 s left until \
            the deadline → retry budget 9.1 tokens → drew 59 ms of at most 200 ms
        backoff, Retry-After unusable
    wait wait.source=backoff wait.seconds=0.0
        503 → GET may be repeated → no Retry-After → attempt 1 of 3 → its policy waits 0 ms
        backoff
    wait wait.source=retry_after wait.seconds=2.0 retry_after.form=valid retry_after.seconds=2.0
        503 → GET may be repeated → Retry-After 2 s, 30 s allowed → attempt 1 of 3 → waits 2 s, \
            as asked
        Retry-After
    wait wait.source=retry_after wait.seconds=2.5 retry_after.form=valid retry_after.seconds=2.0
        503 → GET may be repeated → Retry-After 2 s, 30 s allowed → attempt 1 of 3 → waits 2.5 s: \
            as asked, plus a random 500 ms
        Retry-After
    wait wait.source=retry_after wait.seconds=0.0 retry_after.form=past_date retry_after.seconds=0.0
        503 → GET may be repeated → Retry-After is a date that has passed → attempt 1 of 3 → \
            retries at once
        Retry-After is a past date
    wait wait.source=retry_after wait.seconds=0.0 retry_after.form=valid retry_after.seconds=0.0
        503 → GET may be repeated → Retry-After asks for no wait → attempt 1 of 3 → retries at once
        Retry-After asks for no wait
    stop stop.reason=tls retry.reason=tls
        the TLS handshake failed → another attempt would fail too → returned to the caller
        TLS would fail again
    stop stop.reason=not_eligible http.request.method=POST
        503 → POST must not be repeated without permission → returned to the caller
        this POST is not repeated
    stop stop.reason=not_eligible
        503 → this GET must not be repeated → returned to the caller
        this GET is not repeated
    stop stop.reason=body_is_stream http.request.method=POST retry.allowed_by=permission
        503 → this POST has permission to be repeated → its body is a stream, which cannot be \
            sent twice → returned to the caller
        this POST is not repeated
    stop stop.reason=retry_after_over_budget retry_after.form=valid retry_after.seconds=120.0
        503 → GET may be repeated → Retry-After 120 s > 30 s allowed → returned to the caller
        Retry-After 120 s > 30 s allowed
    stop stop.reason=retry_after_over_budget retry_after.form=valid retry_after.seconds=2e19
        503 → GET may be repeated → Retry-After too long to represent > 30 s allowed → returned \
            to the caller
        Retry-After too long to represent > 30 s allowed
    stop stop.reason=attempts_exhausted retry.attempt=3
        503 → GET may be repeated → no Retry-After → attempt 3 of 3 → returned to the caller
        all 3 attempts used
    stop stop.reason=attempts_exhausted
        503 → GET may be repeated → no Retry-After → attempt 1 of 3 → its policy allows no retry \
            → returned to the caller
        its policy allows no retry
    stop stop.reason=deadline retry_after.form=valid retry_after.seconds=10.0 \
        stop.wait_seconds=10.0 deadline.remaining_seconds=5.0
        503 → GET may be repeated → Retry-After 10 s, 30 s allowed → attempt 1 of 3 → a wait of \
            10 s, and 5 s left → returned to the caller
        a wait of 10 s, and 5 s left
    stop stop.reason=retry_budget_empty retry_budget.tokens=0.4
        503 → GET may be repeated → no Retry-After → attempt 1 of 3 → retry budget 0.4 tokens, \
            and a retry takes 1 → returned to the caller
        retry budget 0.4 tokens
";

#[test]
fn a_decision_names_its_inputs_and_its_reason_step_by_step_and_in_short() {
    let mut lines = DECISIONS.trim().lines().map(str::trim);
    while let (Some(text), Some(steps), Some(short)) = (lines.next(), lines.next(), lines.next()) {
        let (kind, fields) = text.split_once(' ').expect("fields");
        let decision = Decision::of(&span(&format!("{kind} 0-0 {INPUTS} {fields}")));
        let decision = decision.expect(text);

        assert_eq!(decision.steps().join(" → "), steps);
        assert_eq!(decision.in_short(), short);
    }
}

#[test]
fn only_recorded_inputs_are_named() {
    let silence = "no timeout of its own, so the lab closed the connection";
    for (text, steps) in [
        ("wait 0-0 wait.seconds=1.0", &["its policy waits 1 s"][..]),
        (
            "stop 0-0 stop.reason=silence",
            &[silence, "returned to the caller"],
        ),
    ] {
        assert_eq!(Decision::of(&span(text)).expect(text).steps(), steps);
    }
}
