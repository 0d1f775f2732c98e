//! A credential is for the origin that it was given for.

use wire::{FaultLabel, WireRequest};

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "token-elsewhere",
    level: RuleLevel::GoodPractice,
    source: "RFC 9110 §15.4; CVE-2018-18074; CVE-2022-27774",
    text: "the token was not sent to another origin",
    why: "A redirect can name any target, and a server that gets the token can use it.",
    hint: "Follow no redirect, or send credentials only if scheme, host and port are the same.",
    judge: Judge::Forbids(judge),
};

/// A redirect to another origin.
pub const REDIRECT_ELSEWHERE: FaultLabel = FaultLabel("redirect_elsewhere");

/// Whether the response to this request named a URL of another origin.
#[must_use]
pub fn names_another_origin(request: &WireRequest) -> bool {
    request.fault == Some(REDIRECT_ELSEWHERE)
}

fn judge(case: &Case<'_>) -> Judgement {
    let is_moved = |request: &&WireRequest| names_another_origin(request);
    let moved: Vec<_> = case.wire.entries.iter().filter(is_moved).collect();
    let leaking = moved.iter().filter(|request| request.token_elsewhere);
    let sent_on: Vec<_> = leaking.map(|request| request.seq).collect();
    match moved.iter().any(|request| request.authorization) {
        _ if moved.is_empty() => Judgement::not_exercised(),
        _ if !sent_on.is_empty() => Judgement::broken(sent_on, "the other origin got it"),
        false => Judgement::skipped_because("no token was sent"),
        true => Judgement::kept(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_token_that_reached_the_target_breaks_it() {
        let moved = |has_token| {
            Script::new().respond(0, 302).with(|request| {
                request.fault = Some(REDIRECT_ELSEWHERE);
                request.authorization = has_token;
            })
        };

        hold! { RULE;
            Script::new().respond(0, 302) => NotExercised,
            moved(false) => Skipped,
            moved(true) => Kept,
            moved(true).stopped_at(10_000) => CannotTell,
            moved(true).with(|request| request.token_elsewhere = true) => Broken [1],
        }
    }
}
