//! A Retry-After may be a date.

use wire::{RetryAfterForm, WireRequest};

use super::{Judge, Rule, RuleLevel, waited_out_in_each};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-date",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3 and §5.6.7",
    text: "no request came before the date of a Retry-After",
    why: "A client that reads only seconds is early whenever a service names a date.",
    hint: "Read all three formats of an HTTP date, and wait until then by the wall clock.",
    judge: Judge::Cases(|cases| waited_out_in_each(cases, applies)),
};

fn applies(request: &WireRequest) -> bool {
    let form = request.retry_after.map(|retry_after| retry_after.form);
    form == Some(RetryAfterForm::Date)
}

#[cfg(test)]
mod tests {
    use wire::RetryAfter;

    use super::*;
    use crate::rules::testing::{Script, hold};
    #[test]
    fn a_request_before_the_date_breaks_it() {
        let wait = std::time::Duration::from_secs(3);
        let date = || {
            Script::new()
                .respond(500, 503)
                .retry_after_header(RetryAfter::date(wait))
        };

        hold! { RULE;
            Script::new().respond(0, 503).retry_after(1) => NotExercised,
            date() => Skipped,
            date().respond(3_400, 200) => Broken [2],
            date().respond(3_500, 200) => Kept,
        }
    }
}
