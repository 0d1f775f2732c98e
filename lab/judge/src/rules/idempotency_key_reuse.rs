//! All attempts of one call must have the same key.

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "idempotency-key-reuse",
    level: RuleLevel::Standard,
    source: "IETF draft The Idempotency-Key HTTP Header Field; AIP-4235",
    text: "every attempt of a call carried the same idempotency key",
    why: "To the service, a new key is a new call: each attempt does the work once more.",
    hint: "Create the key once per call, before the first attempt, and send it with every attempt.",
    judge: Judge::Forbids(judge),
};

fn judge(case: &Case<'_>) -> Judgement {
    let jobs = case.ties.jobs();
    if jobs.is_empty() {
        return Judgement::not_exercised();
    }
    let attempts = jobs.iter().filter_map(|attempts| attempts.split_first());
    let repeated = attempts.filter(|(_, again)| !again.is_empty());
    let (mut other_keys, mut found) = (Vec::new(), "another");
    for (first, again) in repeated.clone() {
        let key = first.idempotency_key;
        let others = again
            .iter()
            .filter(|attempt| attempt.idempotency_key != key || key.is_none());
        for other in others {
            other_keys.push(other.seq);
            if first.has_several_keys || other.has_several_keys {
                found = "more than one";
            } else if key.and(other.idempotency_key).is_none() && found == "another" {
                found = "no";
            }
        }
    }
    match (repeated.count(), other_keys.len()) {
        (0, _) => Judgement::skipped(),
        (_, 0) => Judgement::kept(),
        _ => Judgement::broken(
            other_keys,
            format!("an attempt had {found} Idempotency-Key"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use wire::JobResult::{Created, Rejected, Replayed};

    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn another_key_for_the_same_body_breaks_it() {
        let again = |script: Script, key| script.post(9, 201, 1, key).job(Created);
        let first = || again(Script::new(), Some(7));
        let without = Script::new().post(0, 400, 1, None).job(Rejected);
        let (other, none) = ["another", "no"]
            .map(|which| format!("an attempt had {which} Idempotency-Key"))
            .into();

        hold! { RULE;
            Script::new().respond(0, 200) => NotExercised,
            Script::new().respond(0, 429).call(1).respond(9, 200).call(1) => NotExercised,
            first() => Skipped,
            first().post(9, 201, 1, Some(7)).job(Replayed) => Kept,
            again(first(), Some(8)) => Broken [2]: &*other,
            first().post(9, 201, 2, Some(8)).job(Created) => Skipped,
            again(without.clone(), None) => Broken [2]: &*none,
            again(without, Some(7)) => Broken [2]: &*none,
            again(again(first(), None), Some(8)) => Broken [2, 3]: &*none,
        }
    }

    #[test]
    fn an_attempt_with_two_keys_is_called_that() {
        let twice = |script: Script| {
            script
                .post(9, 201, 1, None)
                .with(|request| request.has_several_keys = true)
        };
        let first = || Script::new().post(0, 503, 1, Some(7)).call(1);
        let then = |script: Script| script.call(1).job(Created);
        let found = "an attempt had more than one Idempotency-Key";

        hold! { RULE;
            then(twice(first())) => Broken [2]: found,
            then(twice(then(twice(first())))) => Broken [2, 3]: found,
            then(twice(Script::new())).post(18, 201, 1, Some(7)).call(1) => Broken [2]: found,
        }
    }

    #[test]
    fn an_attempt_that_failed_before_a_job_was_created_counts() {
        let rejected = || {
            let failed = Script::new().post(0, 503, 1, Some(7));
            failed.call(1).job(Rejected)
        };
        let unknown = || Script::new().post(0, 503, 1, Some(7)).call(1);
        let then = |script: Script, body, key| {
            let created = script.post(9, 201, body, key).job(Created);
            created.call(if body == 9 { 2 } else { 1 })
        };
        let (same, written_another_way, other) = (1, 2, 9);

        for first in [rejected(), unknown()] {
            let then = |body, key| then(first.clone(), body, key);
            hold! { RULE;
                then(same, Some(7)) => Kept,
                then(same, Some(8)) => Broken [2],
                then(same, None) => Broken [2],
                then(written_another_way, Some(8)) => Broken [2],
                then(other, Some(8)) => Skipped,
            }
        }
    }
}
