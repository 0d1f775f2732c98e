//! A listing must be read to its end.

use wire::{FaultLabel, IssuedCursor, WireRequest};

use super::{Case, Judge, Judgement, Rule, RuleLevel, result};

/// The rule.
pub const RULE: Rule = Rule {
    id: "reads-to-the-end",
    level: RuleLevel::GoodPractice,
    source: "AIP-158",
    text: "a listing was read until its cursor was null, or the client ended with an error",
    why: "If part of a listing is reported as the whole, nobody notices the loss.",
    hint: "Read on until next_cursor is null, and end with an error if you have to stop before.",
    judge: Judge::Case(judge),
};

fn judge(case: &Case<'_>) -> Judgement {
    let entries = case.wire.entries.iter();
    let goes_on = |page: &&WireRequest| matches!(page.cursor_issued, Some(IssuedCursor::Hash(_)));
    let pages: Vec<_> = entries.clone().filter(goes_on).collect();
    let Some(newest) = pages.last() else {
        return Judgement::not_exercised();
    };
    let mut issued = entries.filter_map(|entry| entry.cursor_issued);
    if issued.any(|issued| issued == IssuedCursor::Null) {
        return Judgement::kept();
    }
    let is_endless = pages
        .iter()
        .all(|request| request.fault == Some(FaultLabel::ENDLESS_ITEMS));
    if is_endless && case.was_stopped() {
        // A listing without an end cannot be read to its end.
        return Judgement::not_exercised();
    }
    if !case.was_stopped() && case.process.is_some_and(result::ends_with_error) {
        return Judgement::kept();
    }
    case.left_early(|| {
        let found = "ended without an error before the end of the listing, a page whose \
                     next_cursor is null";
        Judgement::broken(vec![newest.seq], found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict,
        testing::{Script, hold, judged_after},
    };

    #[test]
    fn a_result_before_the_null_cursor_breaks_it() {
        let page = || Script::new().respond(0, 200).issues(1);
        let two = || page().respond(1, 200).cursor(1).issues(2);
        let last = || two().respond(2, 200).cursor(2).issues_null();
        let result = r#"{"records": 2}"#;

        hold! { RULE;
            Script::new().respond(0, 200).exits(0, result) => NotExercised,
            Script::new().respond(0, 200).issues_null() => NotExercised,
            page().exits(0, result) => Broken [1]: "ended without an error before the end of the listing, a page whose next_cursor is null",
            two().exits(0, result) => Broken [2]: "ended without an error before the end of the listing, a page whose next_cursor is null",
            two().exits(1, r#"{"error": "limit"}"#) => Kept,
            two().exits(0, r#"{"error": "limit"}"#) => Kept,
            two().exits(1, result) => Kept,
            two().exits(1, "") => Kept,
            two().exits(1, "").dropping(1) => CannotTell,
            two().exits(0, r#"{"skip": true}"#) => Skipped,
            two().exits(0, "") => Skipped,
            two().stopped_at(10_000) => CannotTell,
            two() => NotExercised,
            last().exits(0, result) => Kept,
            last() => Kept,
            last().dropping(1) => CannotTell,
        }
    }

    #[test]
    fn a_listing_that_was_served_in_full_is_judged_though_an_endless_one_was_stopped() {
        let page = || Script::new().respond(0, 200).issues(1);
        let full = page().respond(2, 200).cursor(1).issues_null().record();
        let stopped = |script: Script| judged_after(&full, &script.stopped_at(10_000), &RULE);

        assert_eq!(
            stopped(page().fault(FaultLabel::ENDLESS_ITEMS)).verdict,
            Verdict::Kept
        );
        assert_eq!(stopped(page()).verdict, Verdict::CannotTell);
    }
}
