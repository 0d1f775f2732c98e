//! The text for each kind of decision.

use super::*;
use crate::trace::testing::span;

/// The inputs of a GET whose first attempt of three got a 503.
const INPUTS: &str = "retry.reason='503' http.request.method=GET retry.allowed_by=method \
    retry_after.form=none retry_after.max_seconds=30.0 retry.attempt=1 retry.max_attempts=3";

/// Decisions with these fields in place of those of [`INPUTS`], and the text for each.
const DECISIONS: &str = "
    wait wait.source=backoff wait.seconds=0.059 wait.ceiling_seconds=0.2
        backoff, at most 200 ms
    wait wait.source=backoff wait.seconds=0.059 wait.ceiling_seconds=0.2 \
        retry_after.form=unusable deadline.remaining_seconds=4.5 retry_budget.tokens=9.1
        backoff, Retry-After unusable
    wait wait.source=backoff wait.seconds=0.0
        backoff
    wait wait.source=retry_after wait.seconds=2.0 retry_after.form=valid retry_after.seconds=2.0
        Retry-After
    wait wait.source=retry_after wait.seconds=2.5 retry_after.form=valid retry_after.seconds=2.0
        Retry-After
    wait wait.source=retry_after wait.seconds=0.0 retry_after.form=past_date retry_after.seconds=0.0
        Retry-After is a past date
    wait wait.source=retry_after wait.seconds=0.0 retry_after.form=valid retry_after.seconds=0.0
        Retry-After asks for no wait
    stop stop.reason=tls retry.reason=tls
        TLS would fail again
    stop stop.reason=not_eligible http.request.method=POST
        this POST is not repeated
    stop stop.reason=not_eligible
        this GET is not repeated
    stop stop.reason=body_is_stream http.request.method=POST retry.allowed_by=permission
        this POST is not repeated
    stop stop.reason=retry_after_over_budget retry_after.form=valid retry_after.seconds=120.0
        Retry-After 120 s > 30 s allowed
    stop stop.reason=retry_after_over_budget retry_after.form=valid retry_after.seconds=2e19
        Retry-After too long to represent > 30 s allowed
    stop stop.reason=attempts_exhausted retry.attempt=3
        no attempt left
    stop stop.reason=attempts_exhausted
        its policy allows no retry
    stop stop.reason=deadline retry_after.form=valid retry_after.seconds=10.0 \
        stop.wait_seconds=10.0 deadline.remaining_seconds=5.0
        a wait of 10 s, and 5 s left
    stop stop.reason=retry_budget_empty retry_budget.tokens=0.4
        retry budget 0.4 tokens
";

#[test]
fn a_decision_names_its_reason_in_short() {
    let mut lines = DECISIONS.trim().lines().map(str::trim);
    while let (Some(text), Some(short)) = (lines.next(), lines.next()) {
        let (kind, fields) = text.split_once(' ').expect("fields");
        let decision = Decision::of(&span(&format!("{kind} 0-0 {INPUTS} {fields}")));

        assert_eq!(decision.expect(text).in_short(), short);
    }
}

#[test]
fn only_recorded_inputs_are_named() {
    for (text, short) in [
        ("wait 0-0 wait.seconds=1.0", "backoff"),
        (
            "stop 0-0 stop.reason=silence",
            "no timeout, so the lab hung up",
        ),
    ] {
        assert_eq!(Decision::of(&span(text)).expect(text).in_short(), short);
    }
}
