//! A request that the service rejected must not be retried.

use wire::status;

use super::{Judge, Rule, RuleLevel, not_repeated};

/// The rule.
pub const RULE: Rule = Rule {
    id: "no-retry-4xx",
    level: RuleLevel::GoodPractice,
    source: "AIP-194; RFC 9110 §15.5",
    text: "a request that the service refused was not retried",
    why: "The request itself is at fault, so it fails again, and credentials are sent again.",
    hint: "Return a 4xx to the caller at once; only 408 and 429 may be different later.",
    judge: Judge::Forbids(|case| {
        not_repeated(case, |request| request.status.is_some_and(status::is_final))
    }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_second_request_breaks_it() {
        for status in [400, 401, 403, 404, 409, 422] {
            let refused = || Script::new().respond(0, status);
            hold! { RULE;
                refused() => Kept,
                refused().respond(200, 200) => Broken [2]: "1 more request followed",
                refused().respond(9, status).respond(18, 200)
                    => Broken [2, 3]: "2 more requests followed",
                refused().respond(1, 200).cursor(7) => Kept,
            }
        }
        hold! { RULE;
            Script::new().respond(0, 429).respond(200, 200) => NotExercised,
        }
    }
}
