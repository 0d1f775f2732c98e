//! A client should wait before a retry.

use wire::{RetryAfter, WireRequest};

use super::{Judge, Rule, RuleLevel, gaps, sample::Sample};

/// The rule.
pub const RULE: Rule = Rule {
    id: "backoff-waits",
    level: RuleLevel::GoodPractice,
    source: "AWS Builders' Library, Timeouts, retries and backoff with jitter; Google SRE book, chapter 22",
    text: "there was a pause before retries",
    why: "An overloaded service cannot recover while every client retries at once.",
    hint: "Wait before each retry: a random time below a ceiling that doubles.",
    judge: Judge::Gaps(|cases| {
        gaps::judged(
            cases,
            |_, request| failed(request),
            true,
            Sample::has_pauses,
        )
    }),
};

/// Whether it failed, and the client had to choose the length of the pause.
pub(super) fn failed(request: &WireRequest) -> bool {
    let named = request.retry_after.is_some_and(RetryAfter::is_usable);
    let status = request.status;
    !named && status.is_some_and(|status| status == 429 || status >= 500)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::WireRecord;

    use super::*;
    use crate::rules::{
        Case,
        Verdict::{Broken, CannotTell, Kept},
        testing::{Script, hold},
    };

    /// A failure, and retries after these gaps in microseconds.
    fn gaps(gaps: &[u64]) -> Script {
        let mut at = Duration::ZERO;
        gaps.iter()
            .fold(Script::new().respond(0, 503), |script, gap| {
                at += Duration::from_micros(*gap);
                script.respond(0, 503).with(|request| {
                    request.arrived = at;
                    request.head = Some(at);
                })
            })
    }

    #[test]
    fn many_short_gaps_break_it_and_a_few_may_be_chance() {
        hold! { RULE;
            Script::new().respond(0, 200) => NotExercised,
            gaps(&[]) => Skipped,
            gaps(&[0; 3]) => CannotTell,
            gaps(&[999; 4]) => Broken [2, 3, 4, 5],
            gaps(&[0, 0, 0, 1_000]) => CannotTell,
            gaps(&[3_999; 5]) => Broken [2, 3, 4, 5, 6],
            gaps(&[0, 0, 0, 0, 4_000]) => CannotTell,
            gaps(&[4_999; 6]) => Broken [2, 3, 4, 5, 6, 7],
            gaps(&[0, 0, 0, 0, 0, 5_000]) => CannotTell,
        }
    }

    #[test]
    fn a_single_long_gap_does_not_count_as_a_pause() {
        let (short, long) = (300, 40_000);

        hold! { RULE;
            gaps(&[long]) => CannotTell,
            gaps(&[long, short]) => CannotTell,
            gaps(&[long, short, long, short]) => CannotTell,
            gaps(&[long, long]) => Kept,
            gaps(&[long, short, long]) => Kept,
            gaps(&[39_999, 39_999]) => CannotTell,
        }
    }

    #[test]
    fn the_retries_of_all_cases_are_one_sample() {
        let case = |gap| gaps(&[gap; 2]).record();
        let judged = |wires: &[WireRecord]| {
            let cases: Vec<_> = wires.iter().map(Case::of).collect();
            let judgement = RULE.judge(&cases);
            let requests = judgement.requests.iter();
            let requests: Vec<_> = requests
                .map(|request| (request.case, request.seq))
                .collect();
            (judgement.verdict, requests)
        };

        let at_once = [case(300), case(300)];
        let mut paused = [case(40_000), case(40_000)];

        let all = vec![(0, 2), (0, 3), (1, 2), (1, 3)];
        assert_eq!(judged(&at_once), (Broken, all));
        assert_eq!(judged(&paused), (Kept, vec![]));
        paused[1].dropped = 1;
        assert_eq!(judged(&paused), (CannotTell, vec![]));
    }

    #[test]
    fn a_wait_that_the_service_named_is_not_a_backoff() {
        let asked = Script::new()
            .respond(0, 503)
            .retry_after(2)
            .respond(2_000, 200);

        hold! { RULE;
            asked => NotExercised,
        }
    }
}
