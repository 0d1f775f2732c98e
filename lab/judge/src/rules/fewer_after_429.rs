//! A 429 should lower the number of requests in flight.

use wire::WireRequest;

use super::{Case, Judge, Judgement, Rule, RuleLevel};

/// The rule.
pub const RULE: Rule = Rule {
    id: "fewer-after-429",
    level: RuleLevel::GoodPractice,
    source: "RFC 6585 §4; good practice",
    text: "after the first 429, at most half as many requests were in flight",
    why: "A 429 is about the client as a whole: if each worker retries on its own, as many requests are in flight as before.",
    hint: "Let all workers share one limit of requests in flight, and halve it at least once for each burst of 429s.",
    judge: Judge::Case(judge),
};

/// Another number does not break the rule: the service says that there are too many, not how
/// many are allowed. A request that comes between the first 429 and the first retry may have
/// left before the client knew of any.
fn judge(case: &Case<'_>) -> Judgement {
    let refused = |request: &WireRequest| request.status == Some(429);
    if !case.wire.entries.iter().any(refused) {
        return Judgement::not_exercised();
    }
    let retries = case
        .ties
        .repetitions()
        .filter(|(failed, _)| refused(failed));
    let Some(first) = retries.map(|(_, next)| next.arrived).min() else {
        return Judgement::skipped();
    };
    let (after, before): (Vec<_>, Vec<_>) = case
        .wire
        .entries
        .iter()
        .partition(|entry| entry.arrived >= first);
    let (before, after) = (most_in_flight(&before), most_in_flight(&after));
    if after * 2 <= before {
        Judgement::kept()
    } else {
        Judgement::skipped_because(format!(
            "{before} in flight before the first retry after a 429, {after} from then on"
        ))
    }
}

/// The most of these requests that were in flight at one moment: from the arrival to the head
/// of the response, as far as that is recorded. A client may send the next one as soon as it
/// has read the response, before the service notes its end.
fn most_in_flight(requests: &[&WireRequest]) -> usize {
    let mut arrivals: Vec<_> = requests.iter().map(|request| request.arrived).collect();
    let ends = requests
        .iter()
        .map(|request| request.head.unwrap_or(request.arrived));
    let mut ends: Vec<_> = ends.collect();
    arrivals.sort_unstable();
    ends.sort_unstable();
    let at_arrivals = arrivals.iter().enumerate().map(|(before, arrival)| {
        let over = ends.partition_point(|end| end < arrival);
        before + 1 - over
    });
    at_arrivals.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{TOLERANCE, testing::Script, testing::hold};

    /// This many requests at once, for 100 ms each; those beyond four are refused.
    fn at_once(script: Script, start: u64, number: u64) -> Script {
        (0..number).fold(script, |script, position| {
            let status = if position < 4 { 200 } else { 429 };
            script.respond(start + position, status).lasting(100)
        })
    }

    #[test]
    fn half_as_many_keep_it_and_more_count_as_skipped() {
        let first = |number| at_once(Script::new(), 0, number);
        let then = |number, next| at_once(first(number), 300, next);
        let one_by_one = (3..9).fold(first(16), |script, turn| at_once(script, turn * 100, 1));

        hold! { RULE;
            first(4) => NotExercised,
            first(16) => Skipped,
            then(16, 8) => Kept,
            then(16, 9) => Skipped,
            then(16, 8).dropping(1) => CannotTell,
            then(16, 12)
                => Skipped: "16 in flight before the first retry after a 429, 12 from then on",
            then(5, 2) => Kept,
            one_by_one => Kept,
        }
    }

    /// A worker that was served asks for the next URL as soon as it has read the response,
    /// though another one was refused in the same moment.
    #[test]
    fn a_request_between_a_refusal_and_the_first_retry_does_not_count_as_one_after_it() {
        let burst = (0..8).fold(Script::new(), |script, call| {
            at_once(script, call, 1).call(call).with(|request| {
                request.status = Some(if call < 4 { 200 } else { 429 });
                request.ended = request.head.map(|head| head + TOLERANCE);
            })
        });
        let next = (0..4).fold(burst, |script, call| {
            at_once(script, 101 + call, 1).call(8 + call)
        });
        let retries = (4..8).fold(next, |script, call| at_once(script, 300, 1).call(call));

        hold! { RULE;
            retries => Kept,
        }
    }

    #[test]
    fn a_request_without_a_response_is_in_flight_only_as_long_as_is_recorded() {
        let wire = at_once(Script::new().respond(0, 200).lost(), 10, 3).record();

        let requests: Vec<_> = wire.entries.iter().collect();

        assert_eq!(most_in_flight(&requests), 3);
        assert_eq!(most_in_flight(&requests[..1]), 1);
    }
}
