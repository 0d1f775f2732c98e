//! Each call must have a key of its own.

use std::collections::{HashMap, HashSet};

use wire::WireRequest;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "idempotency-key-fresh",
    level: RuleLevel::Standard,
    source: "IETF draft The Idempotency-Key HTTP Header Field; AIP-4235",
    text: "each job had a key of its own",
    why: "To the service, one key is one job: it refuses the second, or returns the first again.",
    hint: "Create a key for each call, and never keep one in a constant or in the client.",
    judge: Judge::Case(judge),
};

/// The call of a request is known only if the case distinguishes calls: a scenario may send
/// two bodies with one key on purpose.
fn judge(Case { wire, .. }: &Case<'_>) -> Judgement {
    let of_a_call = |entry: &&WireRequest| entry.method == "POST" && entry.call.is_some();
    let posts: Vec<_> = wire.entries.iter().filter(of_a_call).collect();
    let calls: HashSet<_> = posts.iter().map(|post| post.call).collect();
    let mut call_of_key = HashMap::new();
    let of_another_call = posts.iter().filter(|post| {
        let Some(key) = post.idempotency_key else {
            return false;
        };
        let first = *call_of_key.entry(key).or_insert(*post);
        first.call != post.call && (first.body != post.body || is_later(first, post))
    });
    let seqs: Vec<_> = of_another_call.map(|request| request.seq).collect();
    match calls.len() {
        0 => Judgement::not_exercised(),
        _ if !seqs.is_empty() => Judgement::broken(seqs, "the key of another call"),
        _ if call_of_key.is_empty() && posts.iter().any(|post| post.has_several_keys) => {
            Judgement::skipped_because("every key was sent along with another one")
        }
        _ if call_of_key.is_empty() => Judgement::skipped_because("no key was sent"),
        1 => Judgement::skipped(),
        _ => Judgement::kept(),
    }
}

/// Whether a request came after the end of this one. Two equal requests at the same time
/// may be one call that was sent twice.
fn is_later(first: &WireRequest, request: &WireRequest) -> bool {
    first.ended.is_some_and(|ended| ended <= request.arrived)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold, hold_to_jobs};

    #[test]
    fn a_case_must_distinguish_jobs() {
        hold_to_jobs(&RULE);
    }

    #[test]
    fn one_key_for_two_calls_breaks_it() {
        let first = |key| Script::new().post(0, 503, 1, key).call(1);
        let again = |key| first(key).post(9, 201, 1, key).call(1);
        let both = |one, two| again(one).post(20, 201, 2, two).call(2);

        hold! { RULE;
            again(Some(7)) => Skipped,
            both(None, None) => Skipped,
            both(Some(7), Some(8)) => Kept,
            both(Some(7), None) => Kept,
            both(Some(7), Some(7)) => Broken [3],
        }
    }

    #[test]
    fn equal_bodies_are_two_calls_if_the_second_came_after_the_response() {
        let twice = |at, key| {
            let first = Script::new().post(0, 201, 1, Some(7)).lasting(50).call(1);
            first.post(at, 201, 1, key).call(2)
        };

        hold! { RULE;
            twice(60, Some(8)) => Kept,
            twice(60, Some(7)) => Broken [2],
            twice(20, Some(7)) => Kept,
        }
    }
}
