//! A pause is better although a Retry-After of zero asks for none.

use wire::{RetryAfterForm, WireRequest};

use super::{Case, Judge, Judgement, Rule, RuleLevel, Verdict, gaps, sample::Sample};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-zero",
    level: RuleLevel::GoodPractice,
    source: "RFC 9110 §10.2.3 gives the least wait, not the best one; AWS, Exponential Backoff And Jitter",
    text: "there was a pause after the second Retry-After: 0 in a row",
    why: "A service that fails again has not recovered, whatever its header says, and retries without a pause keep it busy.",
    hint: "Retry at once after the first 0 if you like. If the retry fails too, wait at least as long as your own backoff.",
    judge: Judge::Gaps(judge),
};

/// Retries without a pause do not break the rule: the header allows them.
fn judge(cases: &[Case<'_>]) -> Judgement {
    let judgement = gaps::judged(cases, failed, false, Sample::has_chosen_pauses);
    match judgement.verdict {
        Verdict::Broken => Judgement::skipped_because(judgement.found.unwrap_or_default()),
        _ => judgement,
    }
}

fn is_zero(request: &WireRequest) -> bool {
    let asked = request.retry_after;
    asked.is_some_and(|retry_after| {
        retry_after.form == RetryAfterForm::Seconds && retry_after.wait().is_zero()
    })
}

/// A request with an earlier one in the case that got the same header.
fn failed(case: &Case<'_>, request: &WireRequest) -> bool {
    let mut earlier = case.wire.entries.iter();
    is_zero(request) && earlier.any(|other| other.seq < request.seq && is_zero(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn the_first_retry_may_come_at_once_and_the_next_ones_may_not() {
        let came_back_after = |gaps: &[u64]| Script::gaps(gaps, |script| script.retry_after(0));

        hold! { RULE;
            Script::new().respond(0, 503).retry_after(1) => NotExercised,
            came_back_after(&[]) => NotExercised,
            came_back_after(&[1]) => Skipped,
            came_back_after(&[1, 1, 1]) => Skipped,
            came_back_after(&[1, 1, 60]) => CannotTell,
            came_back_after(&[1; 7]) => Skipped,
            came_back_after(&[1, 50, 90]) => Kept,
        }
    }
}
