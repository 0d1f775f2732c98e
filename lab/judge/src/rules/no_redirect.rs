//! A redirect must not be followed.

use wire::counted;

use super::{Case, Judge, Judgement, Rule, RuleLevel};
use crate::ties::Reason;

/// The rule.
pub const RULE: Rule = Rule {
    id: "no-redirect",
    level: RuleLevel::Contract,
    source: "this service's contract",
    text: "the redirect was not followed",
    why: "A library that follows a redirect may send the credentials to any target.",
    hint: "Turn redirects off, and return status and Location to the caller.",
    judge: Judge::Forbids(judge),
};

fn judge(case: &Case<'_>) -> Judgement {
    let redirect = |status: Option<u16>| matches!(status, Some(301 | 302 | 303 | 307 | 308));
    let mut entries = case.wire.entries.iter();
    let Some(moved) = entries.find(|entry| redirect(entry.status)) else {
        return Judgement::not_exercised();
    };
    let (mut later, mut doubt) = (Vec::new(), None);
    for (request, why) in case.ties.after(moved) {
        match why.map(Reason::doubt) {
            Some(None) => later.push(request.seq),
            Some(in_doubt) => doubt = in_doubt,
            None => doubt = Some("there were several callers"),
        }
    }
    let found = format!("followed by {}", counted(later.len() as u64, "request"));
    Judgement::kept_unless_in(later, found, doubt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn the_target_or_a_second_request_breaks_it() {
        let moved = || Script::new().respond(0, 302);
        let next = || moved().respond(1, 200);

        hold! { RULE;
            Script::new().respond(0, 200) => NotExercised,
            moved() => Kept,
            next().with(|request| request.route = "/items".into()) => Broken [2]: "followed by 1 request",
            moved().respond(1, 302) => Broken [2],
            next().respond(2, 200) => Broken [2, 3]: "followed by 2 requests",
            next().of_several_callers() => CannotTell,
            // It had left before the redirect was there.
            moved().lasting(3).respond(2, 302) => Kept,
        }
    }
}
