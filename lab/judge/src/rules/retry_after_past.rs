//! A Retry-After with a past date asks for no wait.

use wire::{RetryAfterForm, WireRequest};

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-past",
    level: RuleLevel::GoodPractice,
    source: "RFC 9110 §10.2.3 asks for no wait after the date",
    text: "a request followed a Retry-After whose date had passed",
    why: "The response took long to arrive, or the clocks differ; either way the wait is over.",
    hint: "Treat a past date as a wait of zero, not as an error or a huge number.",
    judge: Judge::Case(judge),
};

fn judge(Case { wire, ties, .. }: &Case<'_>) -> Judgement {
    if !wire.entries.iter().any(has_passed) {
        return Judgement::not_exercised();
    }
    let waits = ties.waits().iter().filter(|wait| has_passed(wait.asked_by));
    let doubts: Vec<_> = waits.map(|wait| wait.why.doubt()).collect();
    match doubts.iter().min() {
        Some(None) => Judgement::kept(),
        Some(Some(doubt)) => Judgement::cannot_tell(*doubt),
        None => Judgement::skipped(),
    }
}

fn has_passed(request: &WireRequest) -> bool {
    let form = request.retry_after.map(|retry_after| retry_after.form);
    form == Some(RetryAfterForm::PastDate)
}

#[cfg(test)]
mod tests {
    use wire::RetryAfter;

    use super::*;
    use crate::rules::testing::{Script, hold};
    #[test]
    fn a_client_may_choose_not_to_retry() {
        let passed = || {
            Script::new()
                .respond(0, 503)
                .retry_after_header(RetryAfter::PAST_DATE)
        };
        let other = Script::new().respond(0, 503).retry_after(1);

        hold! { RULE;
            other.respond(1_000, 200) => NotExercised,
            passed() => Skipped,
            passed().stopped_at(10_000) => CannotTell,
            passed().dropping(1) => CannotTell,
            passed().respond(0, 200) => Kept,
            passed().respond(900, 200) => Kept,
        }
    }
}
