//! The text for a client's decision after a failed attempt.
//!
//! It is read from the span of the decision, a `wait` or a `stop`, which contains only numbers
//! and words of a closed set. An input that the client did not record is not named.

use std::time::Duration;

use wire::{duration, duration_left};

use crate::{
    stop_reason::StopReason,
    trace::{Fields, Span, SpanName, field},
};

/// The decision in a span and its reason, in a few words; none for other spans.
pub(super) fn decision(span: &Span) -> Option<String> {
    match span.name {
        SpanName::Wait => wait(&span.fields),
        SpanName::Stop => stop(&span.fields),
        _ => None,
    }
}

fn wait(fields: &Fields) -> Option<String> {
    let seconds = fields.seconds(field::RETRY_AFTER_SECONDS);
    let form = fields.text(field::RETRY_AFTER);
    let is_asked = fields.text(field::WAIT_SOURCE) == Some("retry_after");
    fields.seconds(field::WAIT_SECONDS)?;
    Some(
        match (is_asked, form, fields.seconds(field::WAIT_CEILING)) {
            (true, Some("past_date"), _) => "Retry-After is a past date".to_owned(),
            (true, Some("valid"), _) if seconds == Some(Duration::ZERO) => {
                "Retry-After asks for no wait".to_owned()
            }
            (true, ..) => "Retry-After".to_owned(),
            (false, Some("unusable"), _) => "backoff, Retry-After unusable".to_owned(),
            (false, _, Some(ceiling)) => format!("backoff, at most {}", duration(ceiling)),
            (false, _, None) => "backoff".to_owned(),
        },
    )
}

fn stop(fields: &Fields) -> Option<String> {
    Some(
        match StopReason::labelled(fields.text(field::STOP_REASON)?)? {
            StopReason::Tls => "TLS would fail again".to_owned(),
            StopReason::NotEligible | StopReason::BodyIsStream => {
                match fields.text(field::METHOD) {
                    Some(method) => format!("this {method} is not repeated"),
                    None => "not repeated".to_owned(),
                }
            }
            StopReason::RetryAfterOverBudget => too_long(fields),
            StopReason::AttemptsExhausted
                if fields.number(field::ATTEMPT) < fields.number(field::MAX_ATTEMPTS) =>
            {
                "its policy allows no retry".to_owned()
            }
            StopReason::AttemptsExhausted => "no attempt left".to_owned(),
            StopReason::Deadline => late(fields).unwrap_or_else(|| "deadline".to_owned()),
            StopReason::RetryBudgetEmpty => {
                tokens(fields).unwrap_or_else(|| "the retry budget is empty".to_owned())
            }
            StopReason::Silence => "no timeout, so the lab hung up".to_owned(),
        },
    )
}

/// A Retry-After that is longer than the caller allows, rounded up, so that a reader who waits
/// this long is not early.
fn too_long(fields: &Fields) -> String {
    let asked = match fields.text(field::RETRY_AFTER) {
        Some("valid") => fields
            .seconds(field::RETRY_AFTER_SECONDS)
            .map_or_else(|| "too long to represent".to_owned(), duration_left),
        _ => "too long".to_owned(),
    };
    match fields.seconds(field::RETRY_AFTER_MAX) {
        Some(most) => format!("Retry-After {asked} > {} allowed", duration(most)),
        None => format!("Retry-After {asked}"),
    }
}

fn late(fields: &Fields) -> Option<String> {
    let remaining = fields.seconds(field::REMAINING)?;
    Some(match fields.seconds(field::STOP_WAIT) {
        Some(wait) => format!(
            "a wait of {}, and {} left",
            duration_left(wait),
            duration(remaining)
        ),
        None => "the deadline passed".to_owned(),
    })
}

fn tokens(fields: &Fields) -> Option<String> {
    // Tenths of a token, rounded down: 0.9 does not pay for a retry.
    let tenths = (fields.float(field::TOKENS)? * 10.0 + 1e-6).floor() / 10.0;
    let noun = if tenths == 1.0 { "token" } else { "tokens" };
    Some(format!("no retry: {tenths} {noun}"))
}

#[cfg(test)]
mod tests {
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
        no retry: 0.4 tokens
";

    #[test]
    fn a_decision_names_its_reason_in_short() {
        let mut lines = DECISIONS.trim().lines().map(str::trim);
        while let (Some(text), Some(short)) = (lines.next(), lines.next()) {
            let (kind, fields) = text.split_once(' ').expect("fields");
            let decision = decision(&span(&format!("{kind} 0-0 {INPUTS} {fields}")));

            assert_eq!(decision.as_deref(), Some(short), "{text}");
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
            assert_eq!(decision(&span(text)).as_deref(), Some(short), "{text}");
        }
    }
}
