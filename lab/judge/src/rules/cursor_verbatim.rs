//! A cursor must be sent back unchanged.

use std::collections::HashSet;

use wire::IssuedCursor;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "cursor-verbatim",
    level: RuleLevel::GoodPractice,
    source: "AIP-158",
    text: "every cursor was sent back unchanged",
    why: "A cursor may contain any character. A changed cursor leads nowhere, or to another page.",
    hint: "Percent-encode the cursor as one value of the query, and never build or trim it.",
    judge: Judge::Case(judge),
};

fn judge(Case { wire, .. }: &Case<'_>) -> Judgement {
    let (mut issued, mut sent, mut unknown) = (HashSet::new(), false, Vec::new());
    for request in &wire.entries {
        if let Some(cursor) = request.cursor {
            sent = true;
            if !issued.contains(&(&request.route, cursor)) {
                unknown.push(request.seq);
            }
        }
        if let Some(IssuedCursor::Hash(cursor)) = request.cursor_issued {
            issued.insert((&request.route, cursor));
        }
    }
    match (unknown.is_empty(), issued.is_empty(), sent) {
        (_, true, _) => Judgement::not_exercised(),
        (false, ..) if wire.dropped > 0 => Judgement::cannot_tell("not every request was recorded"),
        (false, ..) => Judgement::broken(unknown, "a cursor was sent that was never issued"),
        (true, false, false) => Judgement::skipped(),
        (true, false, true) => Judgement::kept(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_cursor_that_was_not_issued_breaks_it() {
        let page = || Script::new().respond(0, 200).issues(7);

        hold! { RULE;
            Script::new().respond(0, 200) => NotExercised,
            page() => Skipped,
            page().respond(1, 200).cursor(7) => Kept,
            page().respond(1, 400).cursor(8) => Broken [2],
            // The response that issued it was dropped from the record.
            page().cursor(1).dropping(1) => CannotTell,
        }
    }
}
