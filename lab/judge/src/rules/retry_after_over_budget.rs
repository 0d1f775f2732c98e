//! A Retry-After that is too long must end the call, not be shortened.

use std::time::Duration;

use wire::{RetryAfter, WireRequest};

use super::{Case, Judge, Judgement, Rule, RuleLevel, Verdict, waited_out};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-over-budget",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3; urllib3/urllib3#1338; curl/curl#7675",
    text: "a Retry-After of minutes was not shortened",
    why: "A client that shortens the wait to its own limit returns early, and so does every other such client.",
    hint: "Give up at once when a Retry-After is longer than you may wait, and tell your caller how long it is.",
    judge: Judge::Forbids(judge),
};

/// A longer wait is longer than any case.
const LONGEST_CASE: Duration = Duration::from_secs(60);

/// A client may wait until the requested time and then retry. If it has not retried, it may
/// still retry early, unless its process has ended.
fn judge(case: &Case<'_>) -> Judgement {
    let judgement = waited_out(case, applies);
    match judgement.verdict {
        Verdict::Skipped if case.was_stopped() => Judgement::still_running(),
        Verdict::Skipped if case.process.is_some() => Judgement::kept(),
        _ => judgement,
    }
}

fn applies(request: &WireRequest) -> bool {
    let wait = request.retry_after.map(RetryAfter::wait);
    wait.is_some_and(|wait| wait > LONGEST_CASE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn giving_up_keeps_it_and_an_early_retry_breaks_it() {
        let asked = || Script::new().respond(0, 503).retry_after(120);
        let short = Script::new().respond(0, 503).retry_after(2);
        let minute = Script::new().respond(0, 503).retry_after(60);

        hold! { RULE;
            short.respond(2_000, 200) => NotExercised,
            minute => NotExercised,
            asked() => Skipped,
            asked().exits(1, "") => Kept,
            asked().stopped_at(10_000) => CannotTell,
            asked().dropping(1) => CannotTell,
            asked().respond(30_000, 503).retry_after(120) => Broken [2],
            asked().respond(9, 200).stopped_at(10_000) => Broken [2],
            asked().respond(120_000, 200) => Kept,
        }
    }
}
