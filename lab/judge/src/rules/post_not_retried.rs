//! A failed POST may have taken effect.

use std::collections::{BTreeSet, HashSet};

use wire::WireRequest;

use super::{Case, Judge, Judgement, Rule, RuleLevel};
use crate::ties::Reason;

/// The rule.
pub const RULE: Rule = Rule {
    id: "post-not-retried",
    level: RuleLevel::Standard,
    source: "RFC 9110 §9.2.2 SHOULD NOT",
    text: "a POST that is not safe to retry was sent once",
    why: "A failed POST may have taken effect, so a second request may do it twice.",
    hint: "Retry a POST only if its endpoint promises to recognise an idempotency key.",
    judge: Judge::Forbids(judge),
};

fn judge(case: &Case<'_>) -> Judgement {
    let entries = case.wire.entries.iter();
    let jobs = entries.clone().filter(|entry| entry.job.is_some());
    let of_jobs: HashSet<_> = jobs.map(|job| &job.route).collect();
    let failed = |request: &&WireRequest| {
        let is_failure = request.status.is_none_or(|status| status >= 500);
        request.method == "POST" && !of_jobs.contains(&request.route) && is_failure
    };
    let (mut again, mut doubt, mut is_exercised) = (BTreeSet::new(), None, false);
    for first in entries.filter(failed) {
        is_exercised = true;
        // Regardless of the body: another space does not make it another request.
        let later = case.ties.after(first);
        let is_like_it = |next: &WireRequest| next.method == "POST" && next.route == first.route;
        for (next, why) in later.filter(|(next, _)| is_like_it(next)) {
            match why.map(Reason::doubt) {
                Some(None) => _ = again.insert(next.seq),
                Some(in_doubt) => doubt = in_doubt,
                None => {}
            }
        }
    }
    if !is_exercised {
        return Judgement::not_exercised();
    }
    let found = "sent again, and may have taken effect twice";
    Judgement::kept_unless_in(again.into_iter().collect(), found, doubt)
}

#[cfg(test)]
mod tests {
    use wire::{ClosedBy, JobResult};

    use super::*;
    use crate::rules::testing::{Script, hold};

    #[test]
    fn a_second_request_breaks_it() {
        let failed = || Script::new().post(0, 503, 1, Some(7));
        let reused = || failed().on(1, 2);
        let lost = reused().lost().connection(1, Some((5, ClosedBy::Service)));
        let job = failed().job(JobResult::Rejected);

        hold! { RULE;
            Script::new().respond(0, 503) => NotExercised,
            failed() => Kept,
            failed().post(9, 200, 1, Some(8)) => Broken [2],
            failed().post(9, 200, 2, Some(8)) => Broken [2],
            reused().post(9, 200, 1, Some(7)) => Broken [2],
            lost.post(9, 200, 1, Some(7)) => CannotTell,
            job.post(9, 201, 1, Some(7)).job(JobResult::Created) => NotExercised,
        }
    }

    #[test]
    fn a_request_to_another_route_or_of_another_caller_is_not_a_retry() {
        let failed = || Script::new().post(0, 503, 1, None).lasting(100);
        let elsewhere = failed().post(200, 200, 2, None);
        let elsewhere = elsewhere.with(|request| request.route = "/other".into());

        hold! { RULE;
            failed().respond(200, 200) => Kept,
            elsewhere => Kept,
            // Both were in flight when the first failed.
            failed().post(50, 200, 2, None) => Kept,
            failed().post(100, 200, 2, None) => Broken [2],
            failed().post(200, 200, 2, None).of_several_callers() => Kept,
        }
    }
}
