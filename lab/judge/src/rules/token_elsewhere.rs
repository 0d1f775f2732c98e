//! A credential is for the origin that it was given for.

use wire::WireRequest;

use super::{Case, Judge, Judgement, Rule, RuleLevel};
pub(super) const RULE: Rule = Rule {
    id: "token-elsewhere",
    level: RuleLevel::GoodPractice,
    source: "RFC 9110 §15.4; CVE-2018-18074; CVE-2022-27774",
    text: "the token was not sent to another origin",
    why: "A redirect can name any target, and whoever receives the token can use it.",
    hint: "Follow no redirect, or send credentials only if scheme, host and port are the same.",
    judge: Judge::Forbids(judge),
};

fn judge(case: &Case<'_>) -> Judgement {
    let moved = |it: &&WireRequest| it.fault == Some("redirect_elsewhere");
    let moved: Vec<_> = case.wire.entries.iter().filter(moved).collect();
    let sent_on = moved.iter().filter(|it| it.token_elsewhere);
    let sent_on: Vec<_> = sent_on.map(|it| it.seq).collect();
    match moved.iter().any(|it| it.authorization) {
        _ if moved.is_empty() => Judgement::not_exercised(),
        _ if !sent_on.is_empty() => Judgement::broken(sent_on, "the target of the redirect got it"),
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
            Script::new().respond(0, 302).with(|it| {
                it.fault = Some("redirect_elsewhere");
                it.authorization = has_token;
            })
        };

        hold! { RULE;
            Script::new().respond(0, 302) => NotExercised,
            moved(false) => Skipped,
            moved(true) => Kept,
            moved(true).stopped_at(10_000) => CannotTell,
            moved(true).with(|it| it.token_elsewhere = true) => Broken [1],
        }
    }
}
