//! The attempts of a call must be finite.

use wire::{FaultLabel, WireRequest, counted};

use super::{
    Case, Judge, Judgement, Rule, RuleLevel, backoff::is_refused_for_now, not_repeated::is_look,
    result,
};

/// The rule.
pub const RULE: Rule = Rule {
    id: "finite-attempts",
    level: RuleLevel::GoodPractice,
    source: "Google SRE book, chapter 22",
    text: "the retries came to an end",
    why: "A client that never gives up is a permanent load, and its caller never learns why.",
    hint: "Count the attempts, stop after a few, and return the last failure to the caller.",
    judge: Judge::Forbids(judge),
};

/// A call with more requests than this retries without a limit.
const MOST: usize = 20;

/// A client that is still running when its time is up may have attempts left, as long as it
/// has not sent more than this: a wait may be long, and the number still finite. One that
/// has reported its error, goes on sending and is still running has no end: its caller
/// believes that the call is over.
fn judge(case: &Case<'_>) -> Judgement {
    let mut newest_first = case.wire.entries.iter().rev();
    let newest = newest_first.find(|request| {
        let has_ended = request.status.is_some() || is_broken_off(request);
        has_ended && !is_look(request)
    });
    if !newest.is_some_and(has_failed_for_now) {
        return Judgement::not_exercised();
    }
    let seqs: Vec<_> = retries(case).map(|next| next.seq).collect();
    let requests = seqs.len() + 1;
    let stopped = case.process.filter(|process| process.left_running);
    let result_at = stopped.and_then(result::at);
    let came_after_result = case.wire.entries.iter().filter(|request| {
        let is_later = result_at.is_some_and(|at| request.arrived > at);
        is_later && !is_look(request)
    });
    let after_result: Vec<_> = came_after_result.map(|request| request.seq).collect();
    match case.process {
        _ if requests > MOST => {
            let too_many = seqs.into_iter().skip(MOST - 1).collect();
            Judgement::broken(too_many, format!("{requests} requests"))
        }
        _ if after_result.len() > 1 => {
            let found = format!(
                "{} after it had printed its result, and it was still running when the case ended",
                counted(after_result.len() as u64, "request")
            );
            Judgement::broken(after_result, found)
        }
        None => Judgement::cannot_tell("more might have followed"),
        Some(_) if case.was_stopped() => Judgement::cannot_tell(format!(
            "{requests} of at most {MOST} requests when the case ended"
        )),
        Some(_) if seqs.is_empty() => Judgement::skipped(),
        Some(_) => Judgement::kept(),
    }
}

/// The requests of a case that repeat one that had failed for now.
pub(super) fn retries<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a WireRequest> {
    let repetitions = case.ties.repetitions();
    let retries = repetitions.filter(|(first, _)| has_failed_for_now(first));
    retries.map(|(_, next)| next)
}

fn has_failed_for_now(request: &WireRequest) -> bool {
    is_refused_for_now(request) || is_broken_off(request)
}

/// Whether the service broke its connection in place of a response.
fn is_broken_off(request: &WireRequest) -> bool {
    request.fault == Some(FaultLabel::LOST_RESPONSE)
}

#[cfg(test)]
mod tests {
    use wire::ClosedBy;

    use super::*;
    use crate::rules::testing::{Script, hold};

    fn down(requests: u64) -> Script {
        let respond = |script: Script, number| script.respond(number * 400, 503);
        (0..requests).fold(Script::new(), respond)
    }

    #[test]
    fn more_requests_than_any_call_needs_break_it() {
        hold! { RULE;
            Script::new().respond(0, 404) => NotExercised,
            down(2).respond(900, 200).exits(0, "") => NotExercised,
            down(1).exits(1, "") => Skipped,
            down(20).exits(1, "") => Kept,
            down(21).exits(1, "") => Broken [21],
            down(22) => Broken [21, 22]: "22 requests",
        }
    }

    #[test]
    fn a_connection_that_the_service_broke_is_a_failure() {
        let broken = |requests: u64| {
            let respond = |script: Script, number| {
                let script = script.respond(number * 400, 200).lost();
                script.on(number, 1).fault(FaultLabel::LOST_RESPONSE)
            };
            (1..=requests).fold(Script::new(), respond)
        };

        hold! { RULE;
            broken(1).exits(1, "") => Skipped,
            broken(20).exits(1, "") => Kept,
            broken(3).respond(9_000, 200).exits(0, "") => NotExercised,
            broken(3).stopped_at(20_000) => CannotTell,
            broken(21).exits(1, "") => Broken [21],
            broken(22) => Broken [21, 22]: "22 requests",
        }
    }

    /// The service breaks only fresh connections. If one ends that was used before, the transport
    /// may send the request again.
    #[test]
    fn a_request_that_the_transport_may_have_sent_again_is_not_a_retry() {
        let attempt = |script: Script, number: u64| {
            let used = script.respond(number * 400, 200).lost().on(2 * number, 2);
            let used = used.connection(2 * number, Some((number * 400, ClosedBy::Service)));
            let fresh = used.respond(number * 400 + 1, 503);
            fresh.on(2 * number + 1, 1)
        };
        let attempts = |number: u64| (1..=number).fold(Script::new(), attempt).exits(1, "");

        hold! { RULE;
            attempts(20) => Kept,
            attempts(21) => Broken [41],
        }
    }

    #[test]
    fn a_wait_that_the_service_named_makes_no_difference() {
        let refused = |requests: u64| {
            let respond =
                |script: Script, number| script.respond(number * 1_000, 429).retry_after(1);
            (0..requests).fold(Script::new(), respond)
        };

        hold! { RULE;
            refused(3).exits(1, "") => Kept,
            refused(20).stopped_at(20_000) => CannotTell,
            refused(21).stopped_at(20_000) => Broken [21],
        }
    }

    #[test]
    fn a_client_that_is_still_running_may_have_attempts_left() {
        hold! { RULE;
            down(20) => CannotTell: "more might have followed",
            down(5).stopped_at(10_000)
                => CannotTell: "5 of at most 20 requests when the case ended",
            down(20).stopped_at(10_000) => CannotTell,
            down(20).exits(1, "").dropping(1) => CannotTell,
        }
    }

    #[test]
    fn a_client_that_goes_on_after_its_result_has_no_end() {
        let error = r#"{"error": "down"}"#;

        hold! { RULE;
            // It had reported the second failure at once.
            down(9).rests(500, error, 10_000) => Broken [3, 4, 5, 6, 7, 8, 9]:
                "7 requests after it had printed its result, and it was still running when the case ended",
            // The last request may have been on its way.
            down(3).rests(500, error, 10_000) => CannotTell,
            down(3).rests(900, "failed again", 10_000) => CannotTell,
            down(3).rests(900, error, 10_000)
                => Kept: "nothing more came for 9.2 s, and the program was still running when the case ended",
        }
    }

    #[test]
    fn a_head_request_before_or_after_is_not_an_attempt() {
        let look = |script: Script| {
            script
                .respond(0, 200)
                .with(|request| request.method = "HEAD")
        };
        let attempts = |number: u64| {
            let respond = |script: Script, number| script.respond(number * 400, 503);
            look((1..=number).fold(look(Script::new()), respond)).exits(1, "")
        };

        hold! { RULE;
            attempts(20) => Kept,
            attempts(21) => Broken [22],
        }
    }

    #[test]
    fn a_request_without_a_response_is_not_a_failure_of_the_service() {
        let unanswered = |script: Script| script.respond(9_000, 200).lost();

        hold! { RULE;
            unanswered(down(3)).exits(1, "") => Kept,
            unanswered(Script::new()).exits(1, "") => NotExercised,
            unanswered(down(20)) => Broken [21],
        }
    }
}
