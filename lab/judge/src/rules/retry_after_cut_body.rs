//! A Retry-After counts even if the body is incomplete.

use wire::{RetryAfterForm, WireRequest};

use super::{Judge, Rule, RuleLevel, waited_out_in_each};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-cut-body",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3",
    text: "a Retry-After was waited for although the body was incomplete",
    why: "Connections break most often during bodies. The wait is in the head, which has arrived by then.",
    hint: "Decide by status and headers; an incomplete body only costs you its details.",
    judge: Judge::Cases(|cases| waited_out_in_each(cases, applies)),
};

fn applies(request: &WireRequest) -> bool {
    let form = request.retry_after.map(|retry_after| retry_after.form);
    form == Some(RetryAfterForm::Seconds) && request.ended.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn the_head_is_enough() {
        let whole = || Script::new().respond(0, 503).retry_after(2);
        let cut = || whole().with(|request| request.ended = None);

        hold! { RULE;
            whole().respond(10, 200) => NotExercised,
            cut() => Skipped,
            cut().respond(200, 200) => Broken [2],
            cut().respond(2_000, 200) => Kept,
        }
    }
}
