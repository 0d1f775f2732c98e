//! An endless listing needs a limit.

use wire::FaultLabel;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "page-limit",
    level: RuleLevel::GoodPractice,
    source: "OWASP API Security Top 10, API10:2023",
    text: "an endless listing was abandoned",
    why: "Every page looks valid and no cursor repeats, so a reader without a limit reads forever.",
    hint: "Count the pages, and stop with an error at the most that you expect.",
    judge: Judge::Forbids(judge),
};

/// The most pages that a reader may read before it must doubt the listing.
const MOST: usize = 1_000;

/// A client that is still running when its time is up may have a limit, as long as it has not
/// read more pages than this: it may be slow.
fn judge(case: &Case<'_>) -> Judgement {
    let entries = case.wire.entries.iter();
    let endless = entries.filter(|request| request.fault == Some(FaultLabel::ENDLESS_ITEMS));
    let seqs: Vec<_> = endless.map(|request| request.seq).collect();
    let pages = seqs.len();
    if let Some(one_too_many) = seqs.get(MOST) {
        return Judgement::broken(vec![*one_too_many], format!("{pages} pages were read"));
    }
    match (pages, case.process) {
        (0, _) => Judgement::not_exercised(),
        (_, None) => Judgement::cannot_tell("more might have followed"),
        (pages, Some(_)) if case.was_stopped() => Judgement::cannot_tell(format!(
            "{pages} of at most {MOST} pages when the case ended"
        )),
        (1, _) => Judgement::skipped(),
        _ => Judgement::kept(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    fn endless(pages: u64) -> Script {
        let respond = |script: Script, number| {
            let page = script.respond(number, 200).cursor(number);
            page.issues(number + 1).fault(FaultLabel::ENDLESS_ITEMS)
        };
        (0..pages).fold(Script::new(), respond)
    }

    #[test]
    fn more_pages_than_the_limit_break_it() {
        hold! { RULE;
            Script::new().respond(0, 200).issues(1).exits(0, "") => NotExercised,
            endless(1).exits(1, "") => Skipped,
            endless(100).exits(1, "") => Kept,
            endless(1_000).exits(1, "") => Kept,
            endless(1_002).exits(1, "") => Broken [1_001],
            endless(1_001) => Broken [1_001],
            endless(1_001).stopped_at(10_000) => Broken [1_001],
            // A slow reader may have a limit.
            endless(1_000) => CannotTell,
            endless(900).stopped_at(10_000) => CannotTell,
            endless(9).exits(1, "").dropping(1) => CannotTell,
        }
    }
}
