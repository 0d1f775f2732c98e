//! An unreadable Retry-After does not allow a retry at once.

use wire::WireRequest;

use super::{Judge, Rule, RuleLevel, gaps, sample::Sample};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-unusable",
    level: RuleLevel::GoodPractice,
    source: "RFC 9110 §10.2.3 defines only seconds and dates",
    text: "there was a pause after a Retry-After that cannot be read",
    why: "A value such as -1 or soon is a mistake of the service, but the service is still overloaded.",
    hint: "Use the backoff that you would have used without the header.",
    judge: Judge::Gaps(|cases| {
        gaps::judged(
            cases,
            |_, request| failed(request),
            false,
            Sample::has_pauses,
        )
    }),
};

fn failed(request: &WireRequest) -> bool {
    request
        .retry_after
        .is_some_and(|retry_after| !retry_after.is_usable())
}

#[cfg(test)]
mod tests {
    use wire::RetryAfter;

    use super::*;
    use crate::rules::testing::{Script, hold};
    #[test]
    fn many_short_gaps_break_it_and_a_few_may_be_chance() {
        let came_back_after = |gaps: &[u64]| {
            Script::gaps(gaps, |script| {
                script.retry_after_header(RetryAfter::UNUSABLE)
            })
        };

        hold! { RULE;
            Script::new().respond(0, 503).retry_after(1) => NotExercised,
            came_back_after(&[]) => Skipped,
            came_back_after(&[1; 2]) => CannotTell,
            came_back_after(&[4; 5]) => CannotTell,
            came_back_after(&[4; 6]) => Broken [2, 3, 4, 5, 6, 7],
            came_back_after(&[1, 1, 1, 1, 1, 90]) => CannotTell,
            came_back_after(&[50, 90]) => Kept,
        }
    }
}
