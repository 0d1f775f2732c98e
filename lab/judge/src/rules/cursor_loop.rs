//! A listing that returns to an earlier page never ends.

use std::collections::HashMap;

use wire::IssuedCursor;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "cursor-loop",
    level: RuleLevel::Contract,
    source: "this service's contract; elsewhere a repeated cursor may end a listing",
    text: "a listing that returned to an earlier page was abandoned",
    why: "A, B, A, B: a client that remembers only the last cursor reads forever, and gets every record many times.",
    hint: "Remember every cursor of the listing, and stop with an error at the first repeated one.",
    judge: Judge::Forbids(judge),
};

fn judge(Case { wire, .. }: &Case<'_>) -> Judgement {
    let mut asked: HashMap<_, u32> = HashMap::new();
    let (mut comes_back, mut too_often) = (false, Vec::new());
    for request in wire
        .entries
        .iter()
        .filter(|entry| entry.status == Some(200))
    {
        let times = asked.entry((&request.route, request.cursor)).or_default();
        *times += 1;
        if *times > 2 {
            too_often.push(request.seq);
        }
        if let Some(IssuedCursor::Hash(next)) = request.cursor_issued {
            comes_back |= asked.contains_key(&(&request.route, Some(next)));
        }
    }
    if !comes_back {
        return Judgement::not_exercised();
    }
    Judgement::kept_unless(too_often, "a page was requested for a third time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_third_request_for_a_page_breaks_it() {
        let (a, b) = (1, 2);
        let page = |script: Script, at, from, to| script.respond(at, 200).cursor(from).issues(to);
        let healthy = || Script::new().respond(0, 200).issues(a);
        let once = || page(page(healthy(), 1, a, b), 2, b, a);
        let twice = || page(page(once(), 3, a, b), 4, b, a);

        hold! { RULE;
            healthy() => NotExercised,
            once() => Kept,
            twice() => Kept,
            page(twice(), 5, a, b) => Broken [6],
        }
    }
}
