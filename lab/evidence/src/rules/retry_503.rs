//! A 503 often passes.

use super::{Case, Judgement, Level, Rule};
use crate::wire::WireRequest;

pub(super) const RULE: Rule = Rule {
    id: "retry-503",
    level: Level::GoodPractice,
    source: "AIP-194",
    text: "a GET that met a 503 was sent again",
    why: "A 503 often passes within a second, and a GET changes nothing.",
    hint: "Send a GET again after 503, a few times at most, and wait before each.",
    judge: |cases| {
        Judgement::of_each_case(cases, |Case { wire, ties, .. }| {
            let unavailable = |it: &WireRequest| it.status == Some(503) && it.method == "GET";
            if !wire.entries.iter().any(unavailable) {
                return Judgement::not_exercised();
            }
            match ties.repetitions().any(|(first, _)| unavailable(first)) {
                true => Judgement::kept(),
                false => Judgement::skipped(),
            }
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{Kept, NotExercised, Skipped},
        testing::{Script, hold},
    };

    #[test]
    fn a_client_may_choose_not_to() {
        hold(
            &RULE,
            [
                (Script::new().respond(0, 200), NotExercised, vec![]),
                (Script::new().respond(0, 503), Skipped, vec![]),
                (
                    Script::new().respond(0, 503).respond(200, 200),
                    Kept,
                    vec![],
                ),
            ],
        );
    }
}
