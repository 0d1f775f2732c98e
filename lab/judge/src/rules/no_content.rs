//! A response without a body is a success, too.

use super::{Judge, Rule, RuleLevel, not_repeated};

/// The rule.
pub const RULE: Rule = Rule {
    id: "no-content",
    level: RuleLevel::Standard,
    source: "RFC 9110 §15.3.5",
    text: "a request was not repeated after a 204",
    why: "A 204 has no body on purpose. A client that treats it as a failure repeats the request forever.",
    hint: "Check the status before the body.",
    judge: Judge::Forbids(|case| not_repeated(case, |request| request.status == Some(204))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold, hold_to_one_request};

    #[test]
    fn a_second_request_breaks_it() {
        hold_to_one_request(&RULE, |script| {
            script.with(|request| request.status = Some(204))
        });
    }

    /// A service may respond to OPTIONS with a 204.
    #[test]
    fn an_options_request_does_not_count_as_a_repetition() {
        let look = |script: Script, at| {
            script
                .respond(at, 204)
                .with(|request| request.method = "OPTIONS")
        };
        let looks = || look(look(Script::new(), 0), 1);

        hold! { RULE;
            looks() => NotExercised,
            look(looks().respond(2, 204), 3) => Kept,
        }
    }
}
