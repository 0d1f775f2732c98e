//! The attempts of a call must be finite.

use super::{Case, Judge, Judgement, Level, Rule, backoff_waits::failed, is_look};

pub(super) const RULE: Rule = Rule {
    id: "finite-attempts",
    level: Level::GoodPractice,
    source: "Google SRE book, chapter 22",
    text: "the retries came to an end",
    why: "A client that never gives up is a permanent load, and its caller never learns why.",
    hint: "Count the attempts, stop after a few, and return the last failure to the caller.",
    judge: Judge::Case(judge),
};

/// A call with more requests than this retries without a limit.
const MOST: usize = 20;

/// A client that is still running when its time is up may have attempts left, as long as it
/// has not sent more than this: a wait may be long, and the number still finite.
fn judge(case: &Case<'_>) -> Judgement {
    let mut newest_first = case.wire.entries.iter().rev();
    let newest = newest_first.find(|it| it.status.is_some() && !is_look(it));
    if !newest.is_some_and(failed) {
        return Judgement::not_exercised();
    }
    let retries = case.ties.repetitions().filter(|(it, _)| failed(it));
    let seqs: Vec<_> = retries.map(|(_, next)| next.seq).collect();
    let requests = seqs.len() + 1;
    match case.process {
        _ if requests > MOST => {
            let too_many = seqs.into_iter().skip(MOST - 1).collect();
            Judgement::broken(too_many, format!("{requests} requests"))
        }
        None => Judgement::cannot_tell("more might have followed"),
        Some(_) if case.was_stopped() => Judgement::cannot_tell(format!(
            "{requests} of at most {MOST} requests when the case ended"
        )),
        Some(_) if seqs.is_empty() => Judgement::skipped(),
        Some(_) => Judgement::kept(),
    }
}

#[cfg(test)]
mod tests {
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
    fn a_head_request_before_or_after_is_not_an_attempt() {
        let look = |script: Script| script.respond(0, 200).with(|it| it.method = "HEAD");
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
