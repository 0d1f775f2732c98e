//! All attempts of one call must have the same body.

use std::collections::HashSet;

use wire::BodyState;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "same-body",
    level: RuleLevel::Standard,
    source: "IETF draft The Idempotency-Key HTTP Header Field; AIP-4235",
    text: "every attempt at a job had the same body",
    why: "A key belongs to one body: with another body, the attempt gets a conflict or creates another job.",
    hint: "Build the body once, before the first attempt, without an attempt number or a timestamp.",
    judge: Judge::Case(judge),
};

/// The service recognises the call of a body that is that of its first attempt, whatever it
/// responds. A body without a call can be recognised only if the case distinguishes calls.
fn judge(Case { wire, .. }: &Case<'_>) -> Judgement {
    let posts = wire.entries.iter().filter(|entry| entry.method == "POST");
    // What was sent is known of a body that was read, and of one that was answered.
    let whole = posts.filter(|post| match post.body_state {
        BodyState::Complete => true,
        BodyState::Empty => post.status.is_some(),
        BodyState::Broken | BodyState::Unread => false,
    });
    let (of_a_call, others): (Vec<_>, Vec<_>) = whole.partition(|post| post.call.is_some());
    let calls: HashSet<_> = of_a_call.iter().map(|request| request.call).collect();
    match calls.len() {
        0 => Judgement::not_exercised(),
        _ if !others.is_empty() => {
            let others = others.iter().map(|request| request.seq);
            Judgement::broken(others.collect(), "a body that no first attempt had")
        }
        calls if calls == of_a_call.len() => Judgement::skipped(),
        _ => Judgement::kept(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold, hold_to_jobs};

    #[test]
    fn a_case_must_distinguish_jobs() {
        hold_to_jobs(&RULE);
    }

    #[test]
    fn an_attempt_with_a_body_of_its_own_breaks_it() {
        let unknown = || Script::new().post(0, 503, 9, Some(7));
        let first = || Script::new().post(0, 503, 1, Some(7)).call(1);
        let without = |script: Script, state| {
            script.with(|request| (request.body, request.body_state) = (None, state))
        };
        let cut = |script| without(script, BodyState::Broken);
        // The stream of the body was read by the first attempt.
        let empty = |script| without(script, BodyState::Empty);

        hold! { RULE;
            first().post(9, 503, 2, Some(8)).call(2) => Skipped,
            first().post(9, 201, 1, Some(7)).call(1) => Kept,
            // The bytes may differ if the JSON is equal: the service compares values.
            first().post(9, 201, 2, Some(7)).call(1) => Kept,
            first().post(9, 409, 3, Some(7)) => Broken [2],
            unknown().post(9, 201, 1, Some(7)).call(1) => Broken [1],
            cut(first().post(9, 400, 3, Some(7))) => Skipped,
            empty(first().post(9, 422, 3, Some(7))) => Broken [2],
            // It had not been answered yet, so that it may have a body.
            empty(first().post(9, 422, 3, Some(7))).lost() => Skipped,
        }
    }
}
