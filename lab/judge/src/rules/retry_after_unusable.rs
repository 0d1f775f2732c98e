//! An unreadable Retry-After does not allow a retry at once.
//!
//! Each value is judged on its own: a reader of dates takes `-1` for a day that has passed, and a
//! reader of numbers takes a word for zero.

use std::{collections::BTreeMap, time::Duration};

use wire::{UnusableValue, WireRequest, duration};

use super::{
    Judge, Rule, RuleLevel,
    backoff::{
        FEWEST, Gap, GapRule, Shown, TOO_FEW, later, least_pause, most_are_pauses, shorter, unclear,
    },
};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-unusable",
    level: RuleLevel::GoodPractice,
    source: "RFC 9110 §10.2.3 defines only seconds and dates",
    text: "there was a pause after a Retry-After that cannot be read",
    why: "A value such as -1 or soon is a mistake of the service, but the service is still overloaded.",
    hint: "Use the backoff that you would have used without the header. Seconds are digits alone: -1 is not zero.",
    judge: Judge::Gaps(GapRule {
        failed,
        is_pooled: false,
        shown: pauses,
    }),
};

/// A client does not pause after a value if it retried twice in this many cases, and each of
/// these retries came within the limits below.
const CASES: usize = 4;

/// The limit of a first retry, which a slow runtime needs without a pause.
const FIRST: Duration = Duration::from_millis(20);

/// The limit of a second retry.
const SECOND: Duration = Duration::from_millis(8);

/// The limit of all second retries but one.
const USUALLY: Duration = Duration::from_millis(5);

/// The gaps after one value; none if the value is not known.
type OfValue = (Option<UnusableValue>, Vec<Gap>);

/// Whether there were pauses.
pub(super) fn pauses(gaps: &[Gap]) -> Shown {
    let mut by_value: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for gap in gaps {
        by_value.entry(gap.place.unusable).or_default().push(*gap);
    }
    let (at_once, others): (Vec<OfValue>, Vec<OfValue>) = by_value
        .into_iter()
        .partition(|(_, gaps)| came_at_once(gaps));
    if !at_once.is_empty() {
        let gaps = at_once.iter().flat_map(|(_, gaps)| gaps);
        let places = gaps.map(|gap| gap.place).collect();
        return Shown::Broken(places, short_retries(&at_once, FIRST));
    }
    if gaps.len() < FEWEST {
        return Shown::CannotTell(TOO_FEW.to_owned());
    }
    let least = least_pause(gaps);
    if most_are_pauses(gaps) && others.iter().all(|(_, gaps)| has_pauses(gaps, least)) {
        return Shown::Kept;
    }
    Shown::CannotTell(unclear(gaps, &short_retries(&others, least)))
}

fn came_at_once(gaps: &[Gap]) -> bool {
    let (seconds, firsts): (Vec<_>, Vec<_>) = gaps.iter().partition(|gap| gap.place.number > 0);
    let within = |gaps: &[Gap], limit| shorter(gaps, limit) == gaps.len();
    firsts.len() >= CASES
        && seconds.len() >= CASES
        && within(&firsts, FIRST)
        && within(&seconds, SECOND)
        && shorter(&seconds, USUALLY) + 1 >= seconds.len()
}

/// Whether at least half of the gaps after a value are pauses, as far as there are enough: of
/// those after the first retry, since the first one of a slow runtime shows little. Without
/// this, pauses of seconds after one value and a few delays of a busy machine would hide that
/// there are none after another value.
fn has_pauses(gaps: &[Gap], least: Duration) -> bool {
    let later = later(gaps);
    let telling = if later.len() < FEWEST { gaps } else { &later };
    telling.len() < FEWEST || 2 * shorter(telling, least) <= telling.len()
}

/// How many retries came within this time after each value.
fn short_retries(values: &[OfValue], limit: Duration) -> String {
    let within = duration(limit);
    let mut text = String::new();
    for (value, gaps) in values {
        let (short, all) = (shorter(gaps, limit), gaps.len());
        let after = match value {
            Some(UnusableValue(value)) => format!("after Retry-After: {value}"),
            None => "after an unusable Retry-After".to_owned(),
        };
        text += &if text.is_empty() {
            format!("{short} of {all} retries came within {within} {after}")
        } else {
            format!(", and {short} of {all} {after}")
        };
    }
    text
}

fn failed(request: &WireRequest) -> bool {
    request
        .retry_after
        .is_some_and(|retry_after| !retry_after.is_usable())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wire::RetryAfter;

    use super::*;
    use crate::rules::{
        Case, Judgement,
        Verdict::{self, Broken, CannotTell, Kept, NotExercised, Skipped},
        testing::Script,
    };

    /// Cases with these gaps after each failure, half of them after one value, and the others
    /// after another one.
    fn judged(gaps: &[&[u64]]) -> Judgement {
        let half = gaps.len().div_ceil(2);
        let wires = gaps.iter().enumerate().map(|(number, gaps)| {
            let after = if number < half { minus_one } else { soon };
            Script::gaps(gaps, after).record()
        });
        let wires: Vec<_> = wires.collect();
        let cases: Vec<_> = wires.iter().map(Case::of).collect();
        RULE.judge(&cases)
    }

    fn minus_one(script: Script) -> Script {
        script.retry_after_header(RetryAfter::unusable(UnusableValue("-1")))
    }

    fn soon(script: Script) -> Script {
        script.retry_after_header(RetryAfter::unusable(UnusableValue("soon")))
    }

    /// Four cases with pauses.
    const PAUSES: [&[u64]; 4] = [&[90, 90]; 4];

    #[test]
    fn four_cases_of_one_value_with_two_retries_at_once_break_it() {
        let table: [([&[u64]; 4], Verdict); 9] = [
            ([&[19, 4]; 4], Broken),
            ([&[1, 7], &[1, 1], &[1, 1], &[1, 1]], Broken),
            ([&[20, 4], &[1, 1], &[1, 1], &[1, 1]], CannotTell),
            ([&[1, 8], &[1, 1], &[1, 1], &[1, 1]], CannotTell),
            ([&[1, 5], &[1, 5], &[1, 1], &[1, 1]], CannotTell),
            ([&[1, 1], &[1, 1], &[1, 1], &[1]], CannotTell),
            ([&[1]; 4], CannotTell),
            ([&[]; 4], Kept),
            (PAUSES, Kept),
        ];
        for (gaps, verdict) in table {
            for is_first in [true, false] {
                let cases = if is_first {
                    [gaps, PAUSES]
                } else {
                    [PAUSES, gaps]
                };

                let judgement = judged(&cases.concat());

                assert_eq!(judgement.verdict, verdict, "{gaps:?} {judgement:?}");
                let named = judgement.requests.iter().map(|request| request.case);
                let named: BTreeSet<_> = named.collect();
                let own = if is_first { 0..4 } else { 4..8 };
                let expected = own.filter(|_| verdict == Broken);
                assert_eq!(named, expected.collect(), "{gaps:?}");
            }
        }
        assert_eq!(judged(&[&[1, 1][..]; 8]).requests.len(), 16);
        // Seven cases: one value has four, and the other three.
        assert_eq!(judged(&[&[1, 1][..]; 7]).requests.len(), 8);
        assert_eq!(judged(&[&[1, 1][..]; 6]).verdict, CannotTell);
    }

    #[test]
    fn pauses_keep_it_unless_those_after_one_value_are_short() {
        let table: [([&[u64]; 4], Verdict); 5] = [
            ([&[40, 90], &[40, 90], &[1, 90], &[1, 9]], Kept),
            ([&[40, 90], &[40, 90], &[1, 9], &[1, 9]], Kept),
            ([&[900, 90], &[900, 9], &[900, 9], &[900, 9]], CannotTell),
            ([&[900], &[900], &[1], &[1]], Kept),
            ([&[900], &[1], &[1], &[1]], CannotTell),
        ];
        for (gaps, verdict) in table {
            let judgement = judged(&[gaps, PAUSES].concat());

            assert_eq!(judgement.verdict, verdict, "{gaps:?} {judgement:?}");
        }
        // Too few after each value.
        assert_eq!(judged(&[&[190, 9][..], &[190, 190]]).verdict, Kept);
        assert_eq!(judged(&[&[][..]; 8]).verdict, Skipped);
    }

    #[test]
    fn the_reason_counts_the_retries_after_each_value() {
        let broken = "8 of 8 retries came within 20 ms after Retry-After: -1";
        let both = format!("{broken}, and 8 of 8 after Retry-After: soon");
        let unclear = "8 of 8 retries came within 40 ms after Retry-After: -1, and 0 of 8 after \
                       Retry-After: soon, which may be pauses or your client's own work";
        for (gaps, reason) in [
            ([[&[1, 1][..]; 4], PAUSES], broken),
            ([[&[1, 1]; 4], [&[1, 1]; 4]], &both),
            ([[&[25, 1]; 4], PAUSES], unclear),
        ] {
            assert_eq!(judged(&gaps.concat()).found.as_deref(), Some(reason));
        }
        let few = judged(&[&[1, 1]]).found;
        assert_eq!(few.as_deref(), Some("there were too few retries"));
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
