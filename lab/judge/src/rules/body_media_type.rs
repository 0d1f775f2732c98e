//! A request must not be repeated because its response has another media type.

use wire::FaultLabel;

use super::{Judge, Rule, RuleLevel, not_repeated};

/// The rule.
pub const RULE: Rule = Rule {
    id: "body-media-type",
    level: RuleLevel::Contract,
    source: "this service's contract",
    text: "after a response of another media type, the client neither retried nor requested the next page",
    why: "A text/plain page may come from a proxy or be an error page, even if it looks like JSON.",
    hint: "Check Content-Type before the body, and return an unexpected one to the caller as an error.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| {
            request.fault == Some(FaultLabel::JSON_AS_TEXT)
        })
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{hold_to_no_next_page, hold_to_one_request};

    #[test]
    fn a_second_request_or_its_next_cursor_breaks_it() {
        hold_to_one_request(&RULE, |script| script.fault(FaultLabel::JSON_AS_TEXT));
        hold_to_no_next_page(&RULE, |script| script.fault(FaultLabel::JSON_AS_TEXT));
    }
}
