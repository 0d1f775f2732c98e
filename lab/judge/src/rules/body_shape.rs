//! A request must not be repeated because its response has the wrong shape.

use wire::FaultLabel;

use super::{Judge, Rule, RuleLevel, not_repeated};

/// The rule.
pub const RULE: Rule = Rule {
    id: "body-shape",
    level: RuleLevel::Contract,
    source: "this service's contract",
    text: "after a page of the wrong shape, the client neither retried nor requested the next page",
    why: "Data from half a page looks complete to the next reader.",
    hint: "Check the shape of everything that you use, and return a wrong one to the caller as an error.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| {
            matches!(
                request.fault,
                Some(FaultLabel::INVALID_ITEMS | FaultLabel::INVALID_CURSOR)
            )
        })
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold, hold_to_no_next_page, hold_to_one_request};

    #[test]
    fn a_second_request_or_its_next_cursor_breaks_it() {
        hold_to_one_request(&RULE, |script| script.fault(FaultLabel::INVALID_ITEMS));
        hold_to_one_request(&RULE, |script| script.fault(FaultLabel::INVALID_CURSOR));
        hold_to_no_next_page(&RULE, |script| script.fault(FaultLabel::INVALID_ITEMS));
    }

    #[test]
    fn a_cursor_made_of_an_invalid_one_breaks_it() {
        let bad = |script: Script| {
            script
                .respond(1, 200)
                .cursor(1)
                .fault(FaultLabel::INVALID_CURSOR)
        };
        let page = || bad(Script::new().respond(0, 200).issues(1));

        hold! { RULE;
            page() => Kept,
            page().respond(2, 200).cursor(2) => Broken [3],
            bad(Script::new()).respond(2, 400).cursor(2) => Broken [2],
            page().respond(2, 200).cursor(1).issues(3) => Broken [3],
            page().respond(2, 200) => Kept,
        }
    }
}
