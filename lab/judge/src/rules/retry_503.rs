//! A GET should be retried after a 503.

use wire::WireRequest;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-503",
    level: RuleLevel::GoodPractice,
    source: "AIP-194",
    text: "a GET was retried after a 503",
    why: "A 503 often passes within a second, and a GET changes nothing.",
    hint: "Retry a GET after a 503, a few times at most, and wait before each retry.",
    judge: Judge::Case(judge),
};

fn judge(Case { wire, ties, .. }: &Case<'_>) -> Judgement {
    let unavailable =
        |request: &WireRequest| request.status == Some(503) && request.method == "GET";
    if !wire.entries.iter().any(unavailable) {
        return Judgement::not_exercised();
    }
    let mut doubtful = ties.doubtful().filter(|(first, ..)| unavailable(first));
    match (
        ties.repetitions().any(|(first, _)| unavailable(first)),
        doubtful.next(),
    ) {
        (true, _) => Judgement::kept(),
        (false, Some((.., doubt))) => Judgement::cannot_tell(doubt),
        (false, None) => Judgement::skipped(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_client_may_choose_not_to_retry() {
        hold! { RULE;
            Script::new().respond(0, 200) => NotExercised,
            Script::new().respond(0, 503) => Skipped,
            Script::new().respond(0, 503).respond(200, 200) => Kept,
            Script::new().respond(0, 503).stopped_at(9) => CannotTell,
        }
    }
}
