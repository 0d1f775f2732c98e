//! An unreadable Retry-After does not allow a retry at once.

use std::time::Duration;

use wire::{WireRequest, duration};

use super::{
    Judge, Rule, RuleLevel,
    backoff::{Gap, PAUSE, Shown, judged, kept_by_pauses},
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

/// A client does not pause if it retried twice in this many cases and each of these retries came
/// within the limits below.
const CASES: usize = 4;

/// The limit of a first retry, which a slow runtime needs without a pause.
const FIRST: Duration = PAUSE;

/// The limit of a second retry.
const SECOND: Duration = Duration::from_millis(8);

/// The limit of all second retries but one.
const USUALLY: Duration = Duration::from_millis(5);

/// Whether there were pauses.
fn pauses(gaps: &[Gap]) -> Shown {
    let within = |number, limit| {
        let gaps = gaps.iter().filter(|gap| gap.place.0 == number);
        gaps.filter(|gap| gap.length < limit).count()
    };
    let [firsts, seconds] = [0, 1].map(|number| within(number, Duration::MAX));
    let came_at_once = firsts >= CASES
        && seconds >= CASES
        && within(0, FIRST) == firsts
        && within(1, SECOND) == seconds
        && within(1, USUALLY) + 1 >= seconds;
    if !came_at_once {
        return kept_by_each_case(gaps);
    }
    let places = gaps.iter().map(|gap| gap.place).collect();
    let (all, within) = (gaps.len(), duration(FIRST));
    Shown::Broken(
        places,
        format!("{all} of {all} retries came within {within}"),
    )
}

/// Kept by the pauses of all cases, unless one case has none: a client may take one unusable
/// value for a time in the past, and pause after the others.
fn kept_by_each_case(gaps: &[Gap]) -> Shown {
    let cases = gaps.chunk_by(|_, next| next.place.0 > 0);
    let is_at_once = |gap: &Gap| match gap.place.0 {
        0 => gap.length < FIRST,
        _ => gap.length < USUALLY,
    };
    let mut at_once = cases.filter(|case| case.len() > 1 && case.iter().all(is_at_once));
    match kept_by_pauses(gaps) {
        Shown::Kept if at_once.next().is_some() => {
            Shown::CannotTell("in one case all retries came at once".to_owned())
        }
        shown => shown,
    }
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
        let table: [(&[&[u64]], Verdict); 12] = [
            (&[&[][..]; 4], Skipped),
            (&[&[39, 4][..]; 4], Broken),
            (&[&[1, 7], &[1, 1], &[1, 1], &[1, 1]], Broken),
            (&[&[40, 4], &[1, 1], &[1, 1], &[1, 1]], CannotTell),
            (&[&[1, 8], &[1, 1], &[1, 1], &[1, 1]], CannotTell),
            (&[&[1, 5], &[1, 5], &[1, 1], &[1, 1]], CannotTell),
            (&[&[1, 1][..]; 3], CannotTell),
            (&[&[1][..]; 4], CannotTell),
            (&[&[40, 90], &[40, 90], &[1, 90], &[1, 9]], Kept),
            (&[&[40, 90], &[40, 90], &[1, 90], &[1, 1]], CannotTell),
            (&[&[90, 90], &[90, 90], &[90, 90], &[39, 4]], CannotTell),
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

        assert_eq!(
            crate::rules::testing::judged(&usable, &RULE).verdict,
            NotExercised
        );
    }
}
