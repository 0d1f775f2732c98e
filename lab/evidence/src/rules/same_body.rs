//! An attempt is the same request again.

use std::collections::HashSet;

use super::{Case, Judgement, Level, Rule};
use crate::wire::BodyState;

pub(super) const RULE: Rule = Rule {
    id: "same-body",
    level: Level::Standard,
    source: "IETF draft The Idempotency-Key HTTP Header Field; AIP-4235",
    text: "every attempt at one job had one body",
    why: "A key stands for one body: with another, the attempt is in conflict, or creates another job.",
    hint: "Build the body once, before the first attempt: no attempt number or time of sending in it.",
    judge,
};

/// Which body belongs to no call is known only where the case tells calls apart.
fn judge(cases: &[Case<'_>]) -> Judgement {
    Judgement::of_each(cases, |wire| {
        let posts = wire.entries.iter().filter(|it| it.method == "POST");
        let whole = posts.filter(|it| it.body_state == BodyState::Complete);
        let (of_a_call, others): (Vec<_>, Vec<_>) = whole.partition(|it| it.call.is_some());
        let calls: HashSet<_> = of_a_call.iter().map(|it| it.call).collect();
        match calls.len() {
            0 => Judgement::not_exercised(),
            _ if !others.is_empty() => {
                let others = others.iter().map(|it| it.seq);
                Judgement::broken(others.collect(), "a body that no call has")
            }
            calls if calls == of_a_call.len() => Judgement::skipped(),
            _ => Judgement::kept(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{Broken, Kept, Skipped},
        testing::{Script, hold, hold_to_jobs},
    };

    #[test]
    fn which_job_is_meant_has_to_be_known() {
        hold_to_jobs(&RULE);
    }

    #[test]
    fn an_attempt_with_a_body_of_its_own_breaks_it() {
        let unknown = || Script::new().post(0, 503, 9, Some(7));
        let first = || Script::new().post(0, 503, 1, Some(7)).call(1);
        let cut = |script: Script| {
            script.with(|it| {
                it.body = None;
                it.body_state = BodyState::Broken;
            })
        };

        hold(
            &RULE,
            [
                (first().post(9, 503, 2, Some(8)).call(2), Skipped, vec![]),
                (first().post(9, 201, 1, Some(7)).call(1), Kept, vec![]),
                (first().post(9, 409, 3, Some(7)), Broken, vec![2]),
                (unknown().post(9, 201, 1, Some(7)).call(1), Broken, vec![1]),
                (cut(first().post(9, 400, 3, Some(7))), Skipped, vec![]),
            ],
        );
    }

    /// The bytes may differ where the JSON does not: the service tells by the value.
    #[test]
    fn a_body_that_is_written_another_way_is_the_same() {
        let first = Script::new().post(0, 503, 1, Some(7)).call(1);

        hold(
            &RULE,
            [(first.post(9, 201, 2, Some(7)).call(1), Kept, vec![])],
        );
    }
}
