//! A request must not be repeated because its response is invalid JSON.

use wire::FaultLabel;

use super::{Judge, Rule, RuleLevel, not_repeated};

/// The rule.
pub const RULE: Rule = Rule {
    id: "body-json",
    level: RuleLevel::Contract,
    source: "this service's contract",
    text: "after invalid JSON, the client neither retried nor requested the next page",
    why: "With a success status, the service considers the response correct, and sends the same again.",
    hint: "Return the failure to the caller: a retry would get the same response.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| {
            request.fault == Some(FaultLabel::INVALID_JSON)
        })
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{hold_to_no_next_page, hold_to_one_request};

    #[test]
    fn a_second_request_or_its_next_cursor_breaks_it() {
        hold_to_one_request(&RULE, |script| script.fault(FaultLabel::INVALID_JSON));
        hold_to_no_next_page(&RULE, |script| script.fault(FaultLabel::INVALID_JSON));
    }
}
