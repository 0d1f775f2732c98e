//! An empty page is not the last page.

use wire::{FaultLabel, IssuedCursor, WireRequest};

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "empty-page",
    level: RuleLevel::GoodPractice,
    source: "AIP-158",
    text: "reading continued after an empty page that had a next cursor",
    why: "A service that filters after it has cut the pages may return an empty page, and a client that stops there silently loses the rest.",
    hint: "Let next_cursor alone decide whether there is more, never the number of records.",
    judge: Judge::Case(judge),
};

/// A page without items, of a listing that goes on.
pub const EMPTY_PAGE: FaultLabel = FaultLabel("empty_page");

fn judge(case: &Case<'_>) -> Judgement {
    let mut entries = case.wire.entries.iter();
    let Some(empty) = entries.find(|entry| is_empty_page(entry)) else {
        return Judgement::not_exercised();
    };
    let goes_on =
        |request: &WireRequest| request.cursor.is_some() && request.cursor != empty.cursor;
    if entries.any(goes_on) {
        return Judgement::kept();
    }
    case.left_early(|| Judgement::broken(vec![empty.seq], "treated as the last page"))
}

fn is_empty_page(request: &WireRequest) -> bool {
    request.fault == Some(EMPTY_PAGE)
        && matches!(request.cursor_issued, Some(IssuedCursor::Hash(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_result_right_after_it_breaks_it() {
        let first = || Script::new().respond(0, 200).issues(1);
        let empty = || {
            let page = first().respond(1, 200).cursor(1);
            page.issues(2).fault(EMPTY_PAGE)
        };
        let again = || empty().respond(2, 200).cursor(1).issues(2);
        let result = r#"{"records": 2}"#;

        hold! { RULE;
            first().exits(0, result) => NotExercised,
            empty().exits(0, result) => Broken [2],
            again().exits(0, result) => Broken [2],
            empty().exits(0, r#"{"error": "empty"}"#) => Skipped,
            empty().exits(1, "") => Skipped,
            empty().exits(0, r#"{"skip": true}"#) => Skipped,
            empty().stopped_at(10_000) => CannotTell,
            empty().exits(1, "").dropping(1) => CannotTell,
            empty() => NotExercised,
            empty().respond(2, 200).cursor(2).exits(0, result) => Kept,
            empty().respond(2, 400).cursor(3) => Kept,
        }
    }
}
