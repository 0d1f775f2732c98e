//! An unreadable Retry-After does not allow a retry at once.

use std::time::Duration;

use wire::{WireRequest, duration};

use super::{
    Judge, Rule, RuleLevel,
    backoff::{Gap, Shown, judged, kept_by_pauses},
};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-unusable",
    level: RuleLevel::GoodPractice,
    source: "RFC 9110 §10.2.3 defines only seconds and dates",
    text: "there was a pause after a Retry-After that cannot be read",
    why: "A value such as -1 or soon is a mistake of the service, but the service is still overloaded.",
    hint: "Use the backoff that you would have used without the header.",
    judge: Judge::Gaps(|cases| judged(cases, failed, false, pauses)),
};

/// So many cases of two failures each show that the client does not pause.
const CASES: usize = 4;

/// All of them if each first retry came within this time.
const FIRST: Duration = Duration::from_millis(20);

/// And each second one within this time.
const SECOND: Duration = Duration::from_millis(5);

/// Whether there were pauses.
fn pauses(gaps: &[Gap]) -> Shown {
    let came_within = |number, limit| {
        let gaps = gaps.iter().filter(|gap| gap.place.0 == number);
        let lengths: Vec<_> = gaps.map(|gap| gap.length).collect();
        lengths.len() >= CASES && lengths.iter().all(|length| *length < limit)
    };
    if !(came_within(0, FIRST) && came_within(1, SECOND)) {
        return kept_by_pauses(gaps);
    }
    let places = gaps.iter().map(|gap| gap.place).collect();
    let (all, within) = (gaps.len(), duration(FIRST));
    Shown::Broken(
        places,
        format!("{all} of {all} retries came within {within}"),
    )
}

fn failed(request: &WireRequest) -> bool {
    request
        .retry_after
        .is_some_and(|retry_after| !retry_after.is_usable())
}

#[cfg(test)]
mod tests {
    use wire::RetryAfter;

    use super::*;
    use crate::rules::{
        Case,
        Verdict::{self, Broken, CannotTell, Kept, NotExercised, Skipped},
        testing::Script,
    };

    #[test]
    fn four_cases_with_two_retries_at_once_break_it() {
        let table: [(&[&[u64]], Verdict); 8] = [
            (&[&[][..]; 4], Skipped),
            (&[&[19, 4][..]; 4], Broken),
            (&[&[20, 4], &[1, 1], &[1, 1], &[1, 1]], CannotTell),
            (&[&[19, 5], &[1, 1], &[1, 1], &[1, 1]], CannotTell),
            (&[&[1, 1][..]; 3], CannotTell),
            (&[&[1][..]; 4], CannotTell),
            (&[&[40, 90], &[40, 90], &[1, 90], &[1, 1]], Kept),
            (&[&[40, 90], &[40, 90], &[1, 1], &[1, 1]], CannotTell),
        ];
        for (gaps, verdict) in table {
            let wires = gaps.iter().map(|gaps| {
                let unusable = |script: Script| script.retry_after_header(RetryAfter::UNUSABLE);
                Script::gaps(gaps, unusable).record()
            });
            let wires: Vec<_> = wires.collect();
            let cases: Vec<_> = wires.iter().map(Case::of).collect();

            let judgement = RULE.judge(&cases);

            assert_eq!(judgement.verdict, verdict, "{gaps:?} {judgement:?}");
            let named = if verdict == Broken { 8 } else { 0 };
            assert_eq!(judgement.requests.len(), named);
        }
    }

    #[test]
    fn a_usable_value_does_not_call_for_the_rule() {
        let usable = Script::new().respond(0, 503).retry_after(1);

        assert_eq!(usable.judged(&RULE).verdict, NotExercised);
    }
}
